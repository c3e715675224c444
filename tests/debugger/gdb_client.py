#!/usr/bin/env python3
"""A debugger's side of the GDB remote serial protocol, written from the protocol's documentation ("Remote Protocol" in the
GDB manual), against `isaforge run --gdb`. The witness is a trace of the same program: what each instruction changed.

    gdb_client.py --isaforge ISAFORGE --examples DIRECTORY
"""
import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

SECONDS = 30


class Client:
    """A connection, and packets over it."""

    def __init__(self, isaforge, arguments):
        self.process = subprocess.Popen([isaforge, "run", "--gdb", "0", *arguments], stderr=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        port = int(re.search(r"127\.0\.0\.1:(\d+)$", line.strip()).group(1))
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self.acknowledges = True

    def byte(self):
        data = self.socket.recv(1)
        if not data:
            raise ConnectionError("the server has gone")
        return data

    def send(self, payload):
        body = re.sub(rb"[$#}*]", lambda match: b"}" + bytes([match.group()[0] ^ 0x20]), payload)
        self.socket.sendall(b"$%s#%02x" % (body, sum(body) % 256))

    def receive(self):
        while (byte := self.byte()) != b"$":
            assert byte == b"+", byte
        body = b""
        while (byte := self.byte()) != b"#":
            body += byte
        checksum = int(self.byte() + self.byte(), 16)
        assert checksum == sum(body) % 256
        if self.acknowledges:
            self.socket.sendall(b"+")
        return re.sub(rb"}(.)", lambda match: bytes([match.group(1)[0] ^ 0x20]), body, flags=re.S).decode()

    def ask(self, payload):
        self.send(payload if isinstance(payload, bytes) else payload.encode())
        return self.receive()

    def close(self):
        self.socket.close()
        self.process.communicate(timeout=SECONDS)


class Target(Client):
    """The same, with registers by their names."""

    def __init__(self, isaforge, arguments):
        super().__init__(isaforge, arguments)
        features = self.ask("qSupported:swbreak+;hwbreak+").split(";")
        assert "qXfer:features:read+" in features and "QStartNoAckMode+" in features
        assert self.ask("QStartNoAckMode") == "OK"
        self.acknowledges = False
        text = ""
        while True:
            piece = self.ask(f"qXfer:features:read:target.xml:{len(text):x},1ff")
            text += piece[1:]
            if piece[0] == "l":
                break
        registers = [(int(each.get("regnum")), each.get("name"), int(each.get("bitsize")) // 8)
                     for each in xml.etree.ElementTree.fromstring(text).iter("reg")]
        registers.sort()
        self.names = [name for _, name, _ in registers]
        self.sizes = [size for _, _, size in registers]

    def registers(self):
        data = bytes.fromhex(self.ask("g"))
        values, at = {}, 0
        for name, size in zip(self.names, self.sizes):
            values[name] = int.from_bytes(data[at:at + size], "little")
            at += size
        assert at == len(data)
        return values

    def pc(self):
        return int.from_bytes(bytes.fromhex(self.ask(f"p{self.names.index('pc'):x}")), "little")


class Trace:
    """What `isaforge run --trace` says: for each instruction its address, and the registers and memory behind it."""

    def __init__(self, isaforge, arguments, unit):
        lines = subprocess.run([isaforge, "run", "--trace", "-", *arguments], check=True, capture_output=True, text=True,
                               timeout=SECONDS).stdout.splitlines()
        self.addresses, self.registers, self.memory = [], [], []
        registers, memory = {}, {}
        for line in lines:
            if line.endswith(":"):  # a label
                continue
            _, address = re.match(r" *(\d+) +([0-9a-f]+):", line).groups()
            self.addresses.append(int(address, 16) * unit)
            for name, value in re.findall(r" ([a-z]\w*)=([0-9a-f]+)(?= |$)", line):
                registers[name] = int(value, 16)
            for place, value in re.findall(r" data\[0x([0-9a-f]+)\]=([0-9a-f]+)", line):
                memory[int(place, 16)] = int(value, 16)
            registers.pop("pc", None)
            self.registers.append(dict(registers))
            self.memory.append(dict(memory))


def same_registers(target, trace, steps):
    values = target.registers()
    assert values.pop("pc") == trace.addresses[steps]
    expected = trace.registers[steps - 1] if steps else {}
    for name, value in values.items():
        assert value == expected.get(name, 0), (steps, name, value, expected.get(name, 0))


def steps(isaforge, program, trace):
    target = Target(isaforge, [program])
    assert target.ask("?").startswith("T05")
    for done in range(len(trace.addresses) - 1):
        same_registers(target, trace, done)
        assert target.ask("s" if done % 2 else "vCont;s:1").startswith("T05")
    assert target.ask("s") == "W00"
    target.close()


def breakpoints(isaforge, program, trace):
    stops = sorted(set(trace.addresses))[3::5]
    target = Target(isaforge, [program])
    for address in stops:
        assert target.ask(f"Z{address // 4 % 2},{address:x},4") == "OK"
    met = 0
    for done, address in enumerate(trace.addresses):
        if done == 0 or address not in stops:
            continue
        reply = target.ask("c")
        assert reply.startswith("T05") and "swbreak:;" in reply, reply
        same_registers(target, trace, done)
        met += 1
    for address in stops:
        assert target.ask(f"z{address // 4 % 2},{address:x},4") == "OK"
    assert target.ask("vCont;c") == "W00"
    target.close()
    return met


def watchpoints(isaforge, program, trace):
    places = sorted(trace.memory[-1])[1::4]
    target = Target(isaforge, [program])
    for place in places:
        assert target.ask(f"Z2,{place:x},4") == "OK"
    met = 0
    for done in range(1, len(trace.addresses)):
        now, before = trace.memory[done - 1], trace.memory[done - 2] if done > 1 else {}
        changed = [place for place in places if now.get(place, 0) != before.get(place, 0)]
        if not changed:
            continue
        reply = target.ask("c")
        assert f"watch:{changed[0]:x};" in reply, reply
        same_registers(target, trace, done)
        value = int.from_bytes(bytes.fromhex(target.ask(f"m{changed[0]:x},4")), "little")
        assert value == now[changed[0]]
        met += 1
    assert target.ask("c") == "W00"
    target.close()
    return met


def state(isaforge, program):
    """Writing registers and memory; binary data; monitor; detaching lets the program go on."""
    target = Target(isaforge, [program, "--registers"])
    data = bytes(range(256))
    assert target.ask(b"X800,100:" + data) == "OK"
    assert bytes.fromhex(target.ask("m800,100")) == data
    assert target.ask("M810,2:beef") == "OK"
    assert target.ask("m80f,4") == "0fbeef12"
    number = target.names.index("r9")
    assert target.ask(f"P{number:x}=efbeadde") == "OK"
    assert target.registers()["r9"] == 0xdeadbeef
    assert bytes.fromhex(target.ask("qRcmd," + b"print r9".hex())).decode().startswith("3735928559")
    assert target.ask("qC") == "QC1" and target.ask("qfThreadInfo") == "m1" and target.ask("qsThreadInfo") == "l"
    assert target.ask("Hg1") == "OK" and target.ask("T1") == "OK" and target.ask("qAttached") == "1"
    assert target.ask("D") == "OK"
    target.socket.close()
    output, _ = target.process.communicate(timeout=SECONDS)
    assert "r9 deadbeef" in output, output
    assert target.process.returncode == 0


def interrupt(isaforge, folder):
    """A program that runs for ever is stopped, goes on, and is killed."""
    source = os.path.join(folder, "forever.s")
    with open(source, "w", encoding="utf-8") as file:
        file.write("loop: jump loop;\n nop;\n")
    subprocess.run([isaforge, "asm", "-i", "wishbone-gpu", source, "-o", source + ".o"], check=True)
    for arm in ([], ["Z2,40,4"]):
        target = Target(isaforge, [source + ".o"])
        for packet in arm:
            assert target.ask(packet) == "OK"
        for _ in range(3):
            target.send(b"c")
            time.sleep(0.02)
            target.socket.sendall(b"\x03")
            assert target.receive().startswith("T02")
            assert target.pc() in (0, 4)
        target.send(b"k")
        target.close()
        assert target.process.returncode == 0


def resident(process):
    """Bytes of memory that a process has."""
    with open(f"/proc/{process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def flood(isaforge, folder, room):
    """Behind any number of packets that come while the program runs an interrupt is heard; none is kept for ever."""
    source = os.path.join(folder, "forever.s.o")
    target = Target(isaforge, [source, "--engine", "interpreter"])  # the compiler needs memory of its own
    # What a program that runs needs is not meant: its memory is looked at, which for some systems is to use it.
    target.send(b"c")
    time.sleep(0.2)
    target.socket.sendall(b"\x03")
    assert target.receive().startswith("T02")
    before = resident(target.process)
    memory = b"$m0,4#fd"
    count = 200000
    target.send(b"c")
    target.socket.sendall(memory * count + b"\x03")
    assert target.receive().startswith("T02")
    received = bytearray()
    while received.count(b"#") < count or received[-3:-2] != b"#":
        received += target.socket.recv(1 << 20)
    answers = bytes(received).split(b"$")[1:]
    refused = answers.count(b"E10#a6")  # no room for these
    assert len(answers) == count and count - 10000 < refused < count - 63, refused
    assert all(answer[8:9] == b"#" for answer in answers[:count - refused])
    assert target.ask("qC") == "QC1"
    # A packet without an end.
    target.send(b"c")
    target.socket.sendall(b"$" + b"x" * (40 << 20) + b"\x03")
    assert target.receive().startswith("T02")
    target.socket.sendall(b"#00")
    assert target.ask("qC") == "QC1"
    assert resident(target.process) - before < room
    # An interrupt right behind the packet that lets the program run.
    for _ in range(20):
        target.socket.sendall(b"$c#63\x03")
        assert target.receive().startswith("T02")
    target.send(b"k")
    target.close()


def repeats(isaforge, program):
    """What did not arrive is sent again, but not as often as one likes."""
    client = Client(isaforge, [program])
    client.send(b"m0,20000")
    assert client.byte() == b"+"
    once = len(client.receive())
    client.socket.sendall(b"-" * 2000)
    client.socket.sendall(b"+$qC#b4")
    received = b""
    while b"$QC1" not in received:
        received += client.socket.recv(1 << 16)
        assert len(received) < 5 * (once + 4), len(received)
    client.socket.close()
    client.process.communicate(timeout=SECONDS)


def damage(isaforge, program):
    """What arrives damaged is asked for again; a debugger that goes away ends the run."""
    client = Client(isaforge, [program])
    client.socket.sendall(b"$qC#00")
    assert client.byte() == b"-"
    client.socket.sendall(b"$qC#b4")
    assert client.byte() == b"+" and client.receive() == "QC1"
    client.socket.sendall(b"-")
    assert client.receive() == "QC1"
    client.socket.sendall(b"$" + b"x" * 600000)
    assert client.byte() == b"-"
    client.socket.sendall(b"#00")
    client.socket.close()
    client.process.communicate(timeout=SECONDS)
    assert client.process.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("calls", "fib"):
            program = os.path.join(folder, name + ".elf")
            subprocess.run([options.isaforge, "asm", "-i", "wishbone-gpu",
                            os.path.join(options.examples, "wishbone-gpu", name + ".s"), "-o", program], check=True)
            trace = Trace(options.isaforge, [program], 4)
            steps(options.isaforge, program, trace)
            broken = breakpoints(options.isaforge, program, trace)
            watched = watchpoints(options.isaforge, program, trace)
            print(f"{name}: {len(trace.addresses)} steps, {broken} stops at breakpoints, {watched} at watchpoints")
            assert broken > 5 and watched > 1
            state(options.isaforge, program)
            damage(options.isaforge, program)
            repeats(options.isaforge, program)
        interrupt(options.isaforge, folder)
        # Sanitizers keep what was freed for a while.
        flood(options.isaforge, folder, room=(512 if options.sanitized else 16) << 20)


if __name__ == "__main__":
    sys.exit(main())
