"""A browser without a window, by the protocol that chromedriver speaks."""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import urllib.error
import urllib.request
import zlib

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the driver is on this machine
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "Up": "\ue013", "Tab": "\ue004", "F10": "\ue03a"}


class Browser:
    """Open as long as a `with` lasts."""

    def __init__(self, width=1280, height=900):
        self.width, self.height = width, height

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="browser-")
        environment = dict(os.environ, HOME=self.folder, XDG_CONFIG_HOME=self.folder, XDG_CACHE_HOME=self.folder)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       text=True, env=environment)
        for line in self.driver.stdout:
            port = re.search(r"on port (\d+)", line)
            if port and int(port[1]) > 0:
                break
        else:
            raise SystemExit("chromedriver does not begin")
        self.address = f"http://127.0.0.1:{port[1]}"
        # By a pipe: `localhost` has no address everywhere.
        options = {"args": ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage", "--force-device-scale-factor=1", "--hide-scrollbars", f"--user-data-dir={self.folder}/profile",
                            f"--window-size={self.width},{self.height}"]}
        asked = {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                                  "goog:loggingPrefs": {"browser": "ALL"}}}}
        self.session = f"/session/{self.call('POST', '/session', asked)['sessionId']}"
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with DIRECT.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def open(self, path, query=""):
        self.call("POST", self.session + "/url", {"url": "file://" + os.path.abspath(path) + query})

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", self.session + "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def type(self, selector, text):
        self.call("POST", f"{self.session}/element/{self.find(selector)}/value", {"text": text})

    def click(self, selector):
        self.call("POST", f"{self.session}/element/{self.find(selector)}/click", {})

    def press(self, *keys):
        """Keys, to whatever has the focus."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def resize(self, width, height):
        self.call("POST", self.session + "/window/rect", {"width": width, "height": height})

    def wait(self, script, *arguments):
        """Until the script gives something true, for ten seconds."""
        done = self.call("POST", self.session + "/execute/async", {"script": """
            const done = arguments[arguments.length - 1], test = new Function(arguments[0]), own = arguments[1];
            const look = left => { const got = test.apply(null, own); if (got || !left) done(got); else setTimeout(look, 20, left - 1); };
            look(500);""", "args": [script, list(arguments)]})
        assert done, f"never true: {script}"
        return done

    def complaints(self):
        """What the browser had to say of pages since the last time."""
        log = self.call("POST", self.session + "/se/log", {"type": "browser"})
        return [entry["message"] for entry in log]

    def picture(self, selector=None):
        path = f"/element/{self.find(selector)}/screenshot" if selector else "/screenshot"
        return base64.b64decode(self.call("GET", self.session + path))


def pixels(png):
    """Rows of (red, green, blue) of a PNG as browsers write it."""
    at, data, width = 8, b"", 0
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, _, colours = struct.unpack(">IIBB", body[:10])
            channels = {2: 3, 6: 4}[colours]
        if kind == b"IDAT":
            data += body
        at += 12 + size
    data, stride = zlib.decompress(data), width * channels
    rows, above = [], bytearray(stride)
    for y in range(height):
        kind, line = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - channels] if i >= channels else 0
            b, c = above[i], above[i - channels] if i >= channels else 0
            if kind == 1:
                line[i] = line[i] + a & 255
            elif kind == 2:
                line[i] = line[i] + b & 255
            elif kind == 3:
                line[i] = line[i] + (a + b) // 2 & 255
            elif kind == 4:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line[i] = line[i] + near & 255
        rows.append([tuple(line[x * channels:x * channels + 3]) for x in range(width)])
        above = line
    return rows
