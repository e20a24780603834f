#!/usr/bin/env python3
"""Builds the Debian package of a build folder and installs it: what is in it, what systemd-analyze
says of its unit, a record written to and read from the broker that the unit starts, an upgrade that
keeps the configuration, and that nothing is left after a purge.

What is installed goes into an overlay over this machine's own files, in a mount namespace: the
machine stays as it is. Where overlays cannot be mounted, as in most containers, the package is
really installed and purged, unless systemd runs there. Ends with 77 (skipped) without root.

usage: package_test.py BUILD_FOLDER
"""
import os
import pathlib
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

CONFIG = "etc/leat/leat.toml"
UNIT = "usr/lib/systemd/system/leat.service"
WANTED = "etc/systemd/system/multi-user.target.wants/leat.service"
PLUGINS = ["lag_aware", "local", "memory", "mmap", "rack_aware", "range", "segment", "single", "sticky",
           "uniform"]
COMPLETIONS = {"bash": "usr/share/bash-completion/completions/leat",
               "zsh": "usr/share/zsh/vendor-completions/_leat"}
DEADLINE = 60  # Seconds, for everything that is waited for.
SKIPPED, NO_OVERLAY = 77, 76  # Exit codes.


def said(*command, **more):
    """What a command printed; the test ends if it failed."""
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if ran.returncode != 0:
        sys.exit(f"package_test: {shlex.join(command)} ended with {ran.returncode}:\n{ran.stdout}")
    return ran.stdout


def expect(condition, belief):
    if not condition:
        sys.exit(f"package_test: {belief}")


def build(folder):
    made = folder / "package"
    shutil.rmtree(made, ignore_errors=True)
    said("cpack", "--config", str(folder / "CPackConfig.cmake"), "-B", str(made))
    packages = list(made.glob("*.deb"))
    expect(len(packages) == 1, f"cpack made {packages}")
    return packages[0]


def look_into(package, tree):
    listed = {}
    for line in said("dpkg-deb", "--contents", str(package)).splitlines():
        mode, owner, _, _, _, path = line.split(None, 5)
        expect(owner == "root/root", f"{path} belongs to {owner}")
        expect(mode[5] == "-" and mode[8] == "-", f"{path} is writable by others: {mode}")
        listed["/" + path.removeprefix("./").split(" -> ")[0]] = mode
    programs = ["/usr/bin/leat", *(f"/usr/lib/leat/plugins/{name}.so" for name in PLUGINS)]
    completions = [f"/{path}" for path in COMPLETIONS.values()]
    for path in [*programs, *completions, f"/{CONFIG}", f"/{UNIT}", "/usr/lib/sysusers.d/leat.conf"]:
        expect(path in listed, f"{path} is missing in the package: {sorted(listed)}")
    expect(not any("/include/" in path or path.endswith(".cmake") for path in listed),
           "the SDK is in the broker's package")
    expect(said("dpkg-deb", "--info", str(package), "conffiles") == f"/{CONFIG}\n", "conffiles")
    depends = said("dpkg-deb", "--field", str(package), "Depends")
    expect("libc6" in depends and "libstdc++6" in depends, f"it depends on {depends}")
    judge_exposure(tree / UNIT)
    if shutil.which("lintian"):
        print(said("lintian", "--fail-on", "error", "--suppress-tags", "no-copyright-file",
                   str(package)))


def judge_exposure(unit):
    """At most 2.0; systemd-analyze fails above its threshold, which it counts in tenths."""
    verdict = said("systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=20",
                   str(unit))
    print(verdict.strip().splitlines()[-1])


class Machine:
    """Where the package is installed."""

    def __init__(self, root):
        self.root = root

    def run(self, *command):
        return said(*self.command(*command))

    def command(self, *command):
        return command if self.root == pathlib.Path("/") else ("chroot", str(self.root), *command)

    def names(self):
        """Everything that the package could have left."""
        tops = [str(self.root / top) for top in ("etc", "usr", "var")]
        found = subprocess.run(["find", *tops, "-xdev", "-name", "*leat*"], stdout=subprocess.PIPE,
                               text=True, check=False).stdout
        return set(found.splitlines())

    def has(self, path):
        return (self.root / path).exists() or (self.root / path).is_symlink()


def overlay(scratch):
    """This process has a mount namespace of its own: none of this is seen outside, nor outlives it."""
    root, layers = scratch / "root", scratch / "layers"
    root.mkdir()
    layers.mkdir()
    mounted = subprocess.run(
        f"mount -t tmpfs none {layers} && mkdir {layers}/upper {layers}/work && "
        f"mount -t overlay overlay -o lowerdir=/,upperdir={layers}/upper,workdir={layers}/work {root} "
        f"&& mount --bind /dev {root}/dev && mount -t proc proc {root}/proc",
        shell=True, stderr=subprocess.PIPE, text=True, check=False)
    if mounted.returncode != 0:
        print(f"no overlay: {mounted.stderr.strip()}")
        sys.exit(NO_OVERLAY)
    return Machine(root)


def setting(unit, name):
    return [line.split("=", 1)[1] for line in unit.splitlines() if line.startswith(name + "=")]


class Service:
    """The broker as the unit would start it: its user, its state directory, its umask, and a socket
    that it tells when it is ready. The sandbox is systemd's part and left out."""

    def __init__(self, where):
        unit = (where.root / UNIT).read_text()
        (user,), (start,), (umask,) = (setting(unit, n) for n in ("User", "ExecStart", "UMask"))
        (state,), (mode,) = setting(unit, "StateDirectory"), setting(unit, "StateDirectoryMode")
        where.run("install", "-d", "-o", user, "-g", user, "-m", mode, f"/var/lib/{state}")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = f"leat-package-test-{os.getpid()}"
        self.socket.bind("\0" + name)
        self.process = subprocess.Popen(
            where.command("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups",
                          "--no-new-privs", "--bounding-set=-all", *shlex.split(start)),
            stdout=subprocess.PIPE, text=True, umask=int(umask, 8),
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "NOTIFY_SOCKET": "@" + name})

    def hears(self, what):
        ready, _, _ = select.select([self.socket], [], [], DEADLINE)
        heard = self.socket.recv(4096).decode() if ready else "nothing"
        expect(what in heard.splitlines(), f"the service manager hears {heard!r}, not {what}")

    def address(self):
        line = self.process.stdout.readline()
        expect(line.startswith("listening on "), f"the broker says {line!r}")
        return line.split()[2]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.hears("STOPPING=1")
        code = self.process.wait(DEADLINE)
        expect(code == 0, f"the broker ended with {code}")


def one_record(address):
    said("kcat", "-b", address, "-t", "greetings", "-P", input="packaged")
    read = said("kcat", "-b", address, "-t", "greetings", "-C", "-e", "-q")
    expect(read == "packaged\n", f"kcat reads {read!r}")


def serve_once(where):
    service = Service(where)
    try:
        service.hears("READY=1")
        one_record(service.address())
        service.stop()
    finally:
        service.process.kill()
    owners = set(where.run("find", "/var/lib/leat", "-printf", "%u\\n").split())
    expect(owners == {"leat"}, f"the data belongs to {owners}")


def install(where, package):
    before = where.names()
    file = "var/cache/broker.deb"
    shutil.copy(package, where.root / file)
    where.run("dpkg", "--install", f"/{file}")
    expect(where.has(WANTED), "the unit is not enabled")
    complaints = where.run("systemd-analyze", "verify", f"/{UNIT}")
    expect(not complaints, complaints)
    as_user = ("setpriv", "--reuid=leat", "--regid=leat", "--clear-groups")
    where.run(*as_user, "leat", "check", f"/{CONFIG}")
    known = where.run(*as_user, "leat", "plugins")
    for name in PLUGINS:
        expect(name in known, f"leat plugins does not know {name}:\n{known}")
    for shell, path in COMPLETIONS.items():
        expect((where.root / path).read_text() == where.run("leat", "completion", shell),
               f"/{path} is not what this program says")

    config = where.root / CONFIG
    edited = config.read_text().replace("127.0.0.1:9092", "127.0.0.1:0")
    config.write_text(edited)
    serve_once(where)
    where.run("dpkg", "--install", f"/{file}")
    expect(config.read_text() == edited, "installing again lost the edited configuration")

    where.run("dpkg", "--remove", "leat")
    expect(not where.has("usr/bin/leat"), "the program is there after it was removed")
    expect(where.has(CONFIG), "the configuration went before the purge")
    expect(where.has("var/lib/leat/disk/greetings-0"), "the data went before the purge")
    where.run("dpkg", "--purge", "leat")
    (where.root / file).unlink()
    left = where.names() - before
    expect(not left, f"left after the purge: {sorted(left)}")


def install_on_this_machine(package):
    if os.path.exists("/run/systemd/system") or os.path.exists(f"/{UNIT}"):
        print("skipped: no overlay, and systemd runs here or leat is installed already")
        return SKIPPED
    print("installing on this machine")
    try:
        install(Machine(pathlib.Path("/")), package)
    finally:
        subprocess.run(["dpkg", "--purge", "leat"], stdout=subprocess.DEVNULL, check=False)
    return 0


def main():
    if len(sys.argv) == 4:  # As the child below.
        install(overlay(pathlib.Path(sys.argv[3])), pathlib.Path(sys.argv[2]))
        return 0
    package = build(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="leat_package_") as scratch:
        said("dpkg-deb", "--extract", str(package), f"{scratch}/tree")
        look_into(package, pathlib.Path(scratch) / "tree")
        if os.geteuid() != 0:
            print("skipped: the package holds what it should, but installing it needs root")
            return SKIPPED
        code = subprocess.run(["unshare", "--mount", sys.executable, sys.argv[0], "--install",
                               str(package), scratch], check=False).returncode
    if code == NO_OVERLAY:
        code = install_on_this_machine(package)
    if code == 0:
        print(f"{package.name}: installed, served, upgraded, removed, purged")
    return code


if __name__ == "__main__":
    sys.exit(main())
