"""Builds the wheel and the source distribution, as pip requires (PEP 517), with only the standard library.

    python3 build_backend.py FOLDER    writes both, as `deno task package` does

The same source produces the same bytes.
"""

import base64
import gzip
import hashlib
import io
import os
import re
import sys
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "deskhand"
#: The earliest time that a zip archive can store.
TIME = (1980, 1, 1, 0, 0, 0)
SOURCES = ["LICENSE", "README.md", "build_backend.py", "pyproject.toml"]


def read(path):
    """Returns a file in this folder; until it is packaged, the licence is at the top of the repository."""
    full = os.path.join(HERE, path)
    if path == "LICENSE" and not os.path.exists(full):
        full = os.path.join(HERE, "..", "..", "LICENSE")
    with open(full, "rb") as file:
        return file.read()


def version():
    """Returns the version in the generated part."""
    return re.search(r'^VERSION = "(.+)"$', read(f"{NAME}/_api.py").decode(), re.M)[1]


def modules():
    """Returns the paths of the package's files."""
    found = []
    for folder, folders, files in os.walk(os.path.join(HERE, NAME)):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        found += [os.path.relpath(os.path.join(folder, name), HERE) for name in files]
    return sorted(path.replace(os.sep, "/") for path in found if path.endswith((".py", "py.typed")))


def metadata():
    """Returns the package's metadata (core metadata 2.1), from pyproject.toml and the README."""
    text = read("pyproject.toml").decode()
    said = dict(re.findall(r'^(description|requires-python) = "(.*)"$', text, re.M))
    classifiers = re.findall(r'"([^"]+)"', re.search(r"^classifiers = \[(.*)\]$", text, re.M)[1])
    keywords = re.findall(r'"([^"]+)"', re.search(r"^keywords = \[(.*)\]$", text, re.M)[1])
    source = re.search(r'^Source = "(.*)"$', text, re.M)[1]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {NAME}",
        f"Version: {version()}",
        f"Summary: {said['description']}",
        "License: MIT",
        f"Keywords: {','.join(keywords)}",
        *(f"Classifier: {one}" for one in classifiers),
        f"Requires-Python: {said['requires-python']}",
        f"Project-URL: Source, {source}",
        "Provides-Extra: pillow",
        "Requires-Dist: pillow; extra == 'pillow'",
        "Description-Content-Type: text/markdown",
        "",
    ]
    return ("\n".join(lines) + "\n" + read("README.md").decode()).encode()


def entry_points():
    """Returns the entry points, from pyproject.toml."""
    sections = re.findall(r"^\[project\.entry-points\.(\w+)\]\n((?:\w.*\n)+)", read("pyproject.toml").decode(), re.M)
    rows = [(group, re.findall(r'^(\w+) = "(.+)"$', lines, re.M)) for group, lines in sections]
    return "".join(f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in own) for group, own in rows).encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel (PEP 427), and returns its file name."""
    info = f"{NAME}-{version()}.dist-info"
    files = {path: read(path) for path in modules()}
    files[f"{info}/METADATA"] = metadata()
    files[f"{info}/LICENSE"] = read("LICENSE")
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: deskhand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = entry_points()
    rows = [f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files.items()]
    files[f"{info}/RECORD"] = ("".join(rows) + f"{info}/RECORD,,\n").encode()
    name = f"{NAME}-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Writes the source distribution, and returns its file name."""
    base = f"{NAME}-{version()}"
    files = {path: read(path) for path in [*SOURCES, *modules()]}
    files["PKG-INFO"] = metadata()
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{base}/{path}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    with open(os.path.join(sdist_directory, f"{base}.tar.gz"), "wb") as file:
        file.write(gzip.compress(content.getvalue(), mtime=0))
    return f"{base}.tar.gz"


def digest(content):
    """Returns a hash in the format of RECORD."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
    print(build_sdist(sys.argv[1]))
