"""A headless Chromium with one page.

It is driven over two pipes, so that neither a driver nor a library is needed, nor a socket, which tests may not open.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--remote-debugging-pipe",
)
# Chromium reads commands from descriptor 3 and answers on 4; in between stands a program that moves the pipes there.
_MOVE = """
import os, sys
for target, end in enumerate([os.dup(int(end)) for end in sys.argv[1:3]], 3):
    os.dup2(end, target)
    os.set_inheritable(target, True)
os.execv(sys.argv[3], sys.argv[3:])
"""
_CODES = {
    "Tab": 9,
    "Enter": 13,
    " ": 32,
    "Escape": 27,
    "End": 35,
    "Home": 36,
    "ArrowUp": 38,
    "ArrowDown": 40,
    "F1": 112,
    ".": 190,
}
"""What Windows numbers keys by that are no letters."""
_PATIENCE = 60
"""Seconds after which a browser that does not answer has hung."""


def program() -> str | None:
    """The path of a Chromium; None if there is none."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """One browser with one page. `console` and `requests` are what the page has said and asked for since it was opened."""

    def __init__(self, profile: Path) -> None:
        command_end, self._commands = os.pipe()
        self._answers, answer_end = os.pipe()
        started = [str(program()), *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _MOVE, str(command_end), str(answer_end), *started],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(command_end, answer_end),
        )
        os.close(command_end)
        os.close(answer_end)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.console: list[str] = []
        self.requests: list[str] = []
        self._loaded = False
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        try:
            self.send("Browser.close")
            self._process.wait(_PATIENCE)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            os.close(self._commands)
            os.close(self._answers)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None and method != "Browser.close":
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(deadline - time.monotonic(), 0))
            read = os.read(self._answers, 1 << 20) if ready else b""
            if not read:
                raise OSError("the browser does not answer")
            self._buffer += read
        line, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(line)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Log.entryAdded":
            self.console.append(parameters["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.console.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.console.append(json.dumps(parameters["args"]))

    def open(self, file: Path, fragment: str = "") -> None:
        """Open a file and wait until it is loaded."""
        # A change of the fragment alone would load nothing.
        self.go("about:blank")
        self.console.clear()
        self.requests.clear()
        self.go(file.as_uri() + fragment)

    def go(self, address: str) -> None:
        """Open an address and wait until it is loaded."""
        self._loaded = False
        self.send("Page.navigate", url=address)
        while not self._loaded:
            self._receive()

    def run(self, script: str) -> Any:
        """The value of an expression on the page, which may wait (`await`)."""
        expression = f"(async () => ({script}))()"
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, *, shift: bool = False, control: bool = False) -> None:
        """Press a key: `Tab`, `Enter`, `F1`, ` ` or a letter."""
        code = _CODES.get(key) or (ord(key.upper()) if control else 0)
        text = "" if control else {"Enter": "\r", "Tab": ""}.get(key, key if len(key) == 1 else "")
        place = {".": "Period", " ": "Space"}.get(key, f"Key{key.upper()}" if len(key) == 1 else key)
        event = {"key": key, "code": place, "windowsVirtualKeyCode": code, "modifiers": 8 * shift + 2 * control}
        self.send(
            "Input.dispatchKeyEvent",
            type="keyDown" if text else "rawKeyDown",
            **event,
            **({"text": text} if text else {}),
        )
        self.send("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def resize(self, width: int, height: int = 900) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def emulate(self, *, scheme: str = "light", media: str = "") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    @contextmanager
    def without_script(self) -> Iterator[None]:
        self.send("Emulation.setScriptExecutionDisabled", value=True)
        try:
            yield
        finally:
            self.send("Emulation.setScriptExecutionDisabled", value=False)

    def screenshot(self, file: Path, *, whole: bool = True) -> None:
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))
