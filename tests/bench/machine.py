"""The machine under a measurement: memory that costs the same for everybody, and quiet."""
import os
import pathlib
import time

MIB = 1 << 20


def free_mib():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemFree:"):
            return int(line.split()[1]) // 1024
    raise RuntimeError("/proc/meminfo does not tell the free memory")


class WarmMemory:
    """Keeps free memory small by filling it with page cache that may be taken back at any time.

    On a virtual machine a page that is touched for the first time, or for the first time since it
    was free for a while (the host takes free pages back), costs 12 us: more than all that a row
    measures, and paid by whoever comes first. Pages recycled from the cache cost everybody the same.

    The cache is filled by reading a file that is one hole and has no end for our purposes: no
    disk is involved, and what is read next was never read before, so that each MiB read fills one.
    """

    most_free_mib = 300  # Somewhat above where the kernel itself begins to take cache back.
    file_bytes = 1 << 43

    def __init__(self, folder):
        path = pathlib.Path(folder) / "warm"
        self.file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(self.file, self.file_bytes)
        # Page by page: reading ahead takes blocks of many pages, for which the kernel frees more
        # than it fills.
        os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_RANDOM)
        self.at = 0
        self.buffer = bytearray(MIB)

    def fill(self):
        """After each turn: what the turn freed (its topic was deleted) is filled again."""
        begun, at = time.monotonic(), self.at
        while free_mib() > self.most_free_mib and time.monotonic() - begun < 60:
            for _ in range(32):
                self.at += os.preadv(self.file, [self.buffer], self.at % self.file_bytes)
        return (self.at - at) // MIB


def busy_share(seconds):
    """Of all processors, over so long."""
    def ticks():
        fields = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]
        return sum(map(int, fields[:8])), int(fields[3]) + int(fields[4])

    total, idle = ticks()
    time.sleep(seconds)
    total_now, idle_now = ticks()
    return 1 - (idle_now - idle) / max(1, total_now - total)


def wait_until_quiet(most_seconds=3.0):
    """False: somebody else is at work; what is measured now is worth less."""
    deadline = time.monotonic() + most_seconds
    while busy_share(0.2) > 0.08:
        if time.monotonic() > deadline:
            return False
    return True
