"""A headless Chromium, driven over a pipe by its own protocol: no driver, no port, nothing to download."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60.0
#: The protocol reads at descriptor 3 and writes at 4: ours are put there, whatever numbers they have.
_START = """
import os, sys
os.dup2(int(sys.argv[1]), 103)
os.dup2(int(sys.argv[2]), 104)
os.dup2(103, 3)
os.dup2(104, 4)
os.closerange(103, 105)
os.execv(sys.argv[3], sys.argv[3:])
"""


def installed() -> str | None:
    """The path of a Chromium, None where there is none."""
    return os.environ.get("CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """One tab. ``said`` holds what reached its console as an error or warning, and what was thrown."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session
        self.said: list[str] = []
        self.loaded = False
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol; RuntimeError where it fails."""
        return self.browser.call(method, params, self)

    def heard(self, method: str, params: dict[str, Any]) -> None:
        """Note an event."""
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.said.append(" ".join(str(part.get("value", part)) for part in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.said.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait until it and what it names are there."""
        self.loaded = False
        self.call("Page.navigate", url=path.resolve().as_uri() + fragment)
        self.browser.until(lambda: self.loaded)

    def view(self, width: int, height: int, dark: bool = False) -> None:
        """Set the size of the view and the colours that the reader prefers."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression; RuntimeError where it throws."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{expression[:80]}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def press(self, key: str, shift: bool = False) -> None:
        """Press and release a key."""
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code={" ": "Space"}.get(key, key),
                text=text if kind == "keyDown" else "",
                windowsVirtualKeyCode=codes[key],
                modifiers=8 if shift else 0,
            )

    def picture(self, path: Path, whole: bool = False) -> None:
        """Save what is in view, or the whole page, as PNG."""
        done = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(done["data"]))


class Browser:
    """The process and its two pipes."""

    def __init__(self, executable: str, profile: Path) -> None:
        here, self.out = os.pipe()
        self.inn, there = os.pipe()
        arguments = [
            *(executable, "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run"),
            *("--disable-extensions", "--disable-background-networking", "--hide-scrollbars", "--mute-audio"),
            *("--force-color-profile=srgb", f"--user-data-dir={profile}", "--disable-dev-shm-usage"),
        ]
        if os.geteuid() == 0:
            # Chromium's sandbox does not start for root, as in containers
            arguments.append("--no-sandbox")
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, str(here), str(there), *arguments],
            pass_fds=(here, there),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(here)
        os.close(there)
        self.waiting = b""
        self.count = 0
        self.answers: dict[int, dict[str, Any]] = {}
        self.pages: dict[str, Page] = {}

    def call(self, method: str, params: dict[str, Any], page: Page | None = None) -> dict[str, Any]:
        """Call a method and wait for its answer."""
        self.count += 1
        number = self.count
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if page is not None:
            message["sessionId"] = page.session
            self.pages[page.session] = page
        os.write(self.out, json.dumps(message).encode() + b"\0")
        self.until(lambda: number in self.answers)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        found: dict[str, Any] = answer["result"]
        return found

    def until(self, ready: Any) -> None:
        """Take in events until something is so; TimeoutError after a minute."""
        end = time.monotonic() + PATIENCE
        while not ready():
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.inn], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.inn, 1 << 20)
            if not part:
                raise RuntimeError("the browser is gone")
            *whole, self.waiting = (self.waiting + part).split(b"\0")
            for text in whole:
                message = json.loads(text)
                if "id" in message:
                    self.answers[message["id"]] = message
                elif page := self.pages.get(message.get("sessionId", "")):
                    page.heard(message["method"], message["params"])

    def page(self) -> Page:
        """A new tab."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        return Page(self, session)

    def close(self) -> None:
        """End the process and what it started."""
        with contextlib.suppress(Exception):
            self.call("Browser.close", {})
        for descriptor in (self.out, self.inn):
            os.close(descriptor)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@contextlib.contextmanager
def browser(executable: str, profile: Path) -> Iterator[Browser]:
    """A Chromium with a profile of its own, ended afterwards."""
    found = Browser(executable, profile)
    try:
        yield found
    finally:
        found.close()
