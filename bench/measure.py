"""Running programs and printing how fast they were."""
import os
import subprocess
import tempfile
import time


class Failed(Exception):
    """A program that was to be measured did not work."""


def run(command, stdin=os.devnull, is_kept=True):
    """Wall time in seconds, what was printed unless it is thrown away, and the most memory in bytes, of one run."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(stdin, "rb") as given:
        begin = time.perf_counter()
        with subprocess.Popen(command, stdin=given, stdout=out if is_kept else subprocess.DEVNULL, stderr=err) as process:
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        printed, complaint = out.read(), err.read()
    if process.returncode != 0:
        message = (complaint or printed).decode("utf-8", "replace").strip().splitlines()
        raise Failed(f"{os.path.basename(command[0])} {' '.join(command[1:4])} …: status {process.returncode}"
                     f"{': ' + message[0] if message else ''}")
    return seconds, printed, usage.ru_maxrss * 1024


def timed(command, repeat, stdin=os.devnull, is_kept=True):
    """The best of several runs."""
    return min((run(command, stdin, is_kept) for _ in range(repeat)), key=lambda result: result[0])


def rate(per_second):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if per_second >= size:
            return f"{per_second / size:.2f} {unit}/s"
    return f"{per_second:.1f} /s"


class Table:
    """Rows of one kind of work; our first row is what the peers are compared with."""

    def __init__(self, title, input_bytes=None):
        self.ours = None
        self.input_bytes = input_bytes
        self.failed = False
        print(f"\n{title}")

    def add(self, name, work, command, repeat, is_kept=True):
        try:
            seconds, _, memory = timed(command, repeat, is_kept=is_kept)
        except Failed as failure:
            print(f"  {name:38} {failure}")
            self.failed |= self.ours is None
            return
        speed = work / seconds
        ratio = "" if self.ours is None or name.startswith("isaforge") else f"   isaforge is {self.ours / speed:.1f} times as fast"
        peak = f" {memory / 1e6:6.0f} MB"
        if self.input_bytes:
            peak += f" = {memory / self.input_bytes:4.1f} x input"
        print(f"  {name:38} {rate(speed):>12} {seconds * 1e3:10.1f} ms{peak}{ratio}")
        if self.ours is None:
            self.ours = speed


def write_bytes(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def write(folder, name, lines):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.writelines(lines)
    return path
