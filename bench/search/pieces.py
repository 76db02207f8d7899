"""Results that are kept: each piece of work in a file of its own, written whole or not at all, named by what it is a
function of (the sources, the table, the arguments), so that nothing is measured twice and no result of another version
is taken for one of this."""

import hashlib
import json
import os
import time


def digest(*parts):
    """Twelve hexadecimal digits of files' contents and of anything else's text."""
    sum_ = hashlib.sha256()
    for part in parts:
        sum_.update(part.read_bytes() if hasattr(part, "read_bytes") else str(part).encode())
        sum_.update(b"\0")
    return sum_.hexdigest()[:12]


class Pieces:
    def __init__(self, folder, seconds):
        """No piece is begun after so many seconds; None = no limit."""
        self.folder = folder
        self.ends = None if seconds is None else time.monotonic() + seconds
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, name, key):
        return self.folder / f"{name}.{key}.json"

    def known(self, name, key):
        path = self.path(name, key)
        return json.loads(path.read_text()) if path.exists() else None

    def get(self, name, key, measure):
        """What is kept of it, or measured now and then kept; None when the time is up."""
        found = self.known(name, key)
        if found is not None or (self.ends is not None and time.monotonic() > self.ends):
            return found
        found = measure()
        path = self.path(name, key)
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(found))
        os.replace(unfinished, path)
        return found
