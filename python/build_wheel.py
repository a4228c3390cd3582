#!/usr/bin/env python3
"""Builds the wheel (PEP 427) of waypost.py, with nothing but the standard library: `python3 build_wheel.py FOLDER`.

The same sources make the same bytes. Prints the path of the wheel, and fails if it is larger than 50 kB.
"""
import base64
import hashlib
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).parent
MAX_BYTES = 50_000
#: The first date that a zip archive can have. A wheel needs none.
NO_TIME = (1980, 1, 1, 0, 0, 0)


def build(folder):
    source = (HERE / "waypost.py").read_bytes()
    version = re.search(rb'__version__ = "([^"]+)"', source).group(1).decode()
    info = f"waypost-{version}.dist-info"
    files = {
        "waypost.py": source,
        f"{info}/METADATA": metadata(version),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},{digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = pathlib.Path(folder) / f"waypost-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, NO_TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    if path.stat().st_size > MAX_BYTES:
        raise SystemExit(f"{path} has more than {MAX_BYTES} bytes")
    return path


def metadata(version):
    head = (
        f"Metadata-Version: 2.1\nName: waypost\nVersion: {version}\n"
        "Summary: Uploads lists of URLs to Waypost, which hosts them as XML sitemaps.\n"
        "Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n"
    )
    return head.encode() + (HERE / "README.md").read_bytes()


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build(sys.argv[1]))
