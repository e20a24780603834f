"""A program that nobody here wrote, run for as long as a check needs it."""
import contextlib
import subprocess
import time

PATIENCE_S = 120


class Failed(Exception):
    """A program did not do its work."""


def wait_for(condition, what, process=None):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if process is not None and process.poll() is not None:
            raise Failed(f"ended with {process.returncode} before {what}")
        if time.monotonic() > deadline:
            raise Failed(f"waited in vain for {what}")
        time.sleep(0.1)  # A poll of a foreign program's progress, bounded above.


@contextlib.contextmanager
def running(command, log):
    """Runs it until the block ends; what it says goes into the file `log`."""
    with open(log, "ab") as said:
        process = subprocess.Popen(list(map(str, command)), stdout=said, stderr=said)
    try:
        yield process
    except Failed as problem:
        raise Failed(f"{problem}; {log.read_text(errors='replace')[-600:]}") from None
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def java(classpath, *arguments):
    return ["java", "-XX:TieredStopAtLevel=1", "-Xmx512m",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", classpath, *arguments]
