"""Images without a library: reading BMP and PNG, writing PNG and BMP, pixels and parts."""

from __future__ import annotations

import os
import struct
import zlib
from typing import IO, Any, Iterator, List, Optional, Tuple, Union

from ._errors import DeskhandError

_PNG = b"\x89PNG\r\n\x1a\n"
#: Samples per pixel by PNG colour type.
_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


class Image:
    """An RGB image: the type of screenshots if Pillow is not installed.

    Supports some of the methods of Pillow's images, under the same names.
    """

    mode = "RGB"

    def __init__(self, width: int, height: int, data: bytes) -> None:
        """data: Three bytes per pixel, row by row from the top."""
        self.width = width
        self.height = height
        self._data = data

    def __repr__(self) -> str:
        return f"<deskhand image {self.width}x{self.height}>"

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height."""
        return self.width, self.height

    def tobytes(self) -> bytes:
        """Three bytes per pixel, row by row."""
        return self._data

    def getpixel(self, xy: Tuple[int, int]) -> Tuple[int, int, int]:
        """Red, green and blue of a pixel."""
        x, y = xy
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise IndexError("image index out of range")
        at = (y * self.width + x) * 3
        return self._data[at], self._data[at + 1], self._data[at + 2]

    def getdata(self) -> Iterator[Tuple[int, int, int]]:
        """All pixels."""
        data = iter(self._data)
        return zip(data, data, data)

    def crop(self, box: Tuple[int, int, int, int]) -> "Image":
        """The part from left and top up to, but not including, right and bottom; black outside of the image."""
        left, top, right, bottom = (int(edge) for edge in box)
        inner = range(max(left, 0), min(right, self.width))
        before, after = bytes(3 * max(0, min(-left, right - left))), bytes(3 * max(0, right - max(left, self.width)))
        rows: List[bytes] = []
        for y in range(top, bottom):
            if not 0 <= y < self.height or not inner:
                rows.append(bytes(3 * (right - left)))
                continue
            start = y * self.width
            rows.append(before + self._data[(start + inner.start) * 3 : (start + inner.stop) * 3] + after)
        return Image(right - left, bottom - top, b"".join(rows))

    def copy(self) -> "Image":
        """Returns the image itself, which never changes."""
        return self

    def convert(self, mode: str) -> "Image":
        """Returns the image itself, whose only mode is RGB."""
        if mode != "RGB":
            raise DeskhandError(f"images of mode {mode} need Pillow: pip install pillow")
        return self

    def close(self) -> None:
        """Does nothing, because an image has no open file."""

    def save(self, fp: Union[str, "os.PathLike[str]", IO[bytes]], format: Optional[str] = None) -> None:
        """Writes a PNG or BMP file, depending on format or the file name."""
        name = os.fspath(fp) if isinstance(fp, (str, os.PathLike)) else ""
        kind = (format or os.path.splitext(name)[1].lstrip(".") or "png").lower()
        if kind not in ("png", "bmp"):
            raise DeskhandError(f"without Pillow, images can be saved as png or bmp, not as {kind}")
        content = self.png() if kind == "png" else self.bmp()
        if name:
            with open(name, "wb") as file:
                file.write(content)
        else:
            fp.write(content)  # type: ignore[union-attr]

    def png(self) -> bytes:
        """The image as a PNG file."""
        stride = self.width * 3
        rows = b"".join(b"\0" + self._data[y * stride : (y + 1) * stride] for y in range(self.height))
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
        return _PNG + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in chunks
        )

    def bmp(self) -> bytes:
        """The image as a BMP file."""
        swapped = bytearray(self._data)
        swapped[0::3], swapped[2::3] = self._data[2::3], self._data[0::3]
        stride, padding = self.width * 3, bytes(-self.width * 3 % 4)
        rows = [bytes(swapped[y * stride : (y + 1) * stride]) + padding for y in range(self.height)]
        pixels = b"".join(reversed(rows))
        info = struct.pack("<IiiHHIIiiII", 40, self.width, self.height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
        return struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54) + info + pixels


def read_image(content: bytes) -> Image:
    """Reads a PNG or BMP file, ignoring transparency.

    Raises DeskhandError for other formats.
    """
    if content.startswith(_PNG):
        return _read_png(content)
    if content.startswith(b"BM"):
        return _read_bmp(content)
    raise DeskhandError("images other than PNG and BMP need Pillow: pip install pillow")


def _read_bmp(content: bytes) -> Image:
    (offset,) = struct.unpack_from("<I", content, 10)
    width, signed, _planes, bits, compression = struct.unpack_from("<iiHHI", content, 18)
    if bits not in (24, 32) or compression not in (0, 3):
        raise DeskhandError("only uncompressed BMP files with 24 or 32 bits per pixel are supported")
    size, height = bits // 8, abs(signed)
    stride = (width * size + 3) // 4 * 4
    order = range(height) if signed < 0 else range(height - 1, -1, -1)
    raw = b"".join(content[offset + y * stride : offset + y * stride + width * size] for y in order)
    data = bytearray(width * height * 3)
    for channel in range(3):
        data[channel::3] = raw[2 - channel :: size]
    return Image(width, height, bytes(data))


def _read_png(content: bytes) -> Image:
    header: Tuple[int, ...] = (0,) * 7
    at, parts, palette = len(_PNG), [], b""
    while at + 8 <= len(content):
        (length,) = struct.unpack_from(">I", content, at)
        kind, data = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", data)
        elif kind == b"PLTE":
            palette = data
        elif kind == b"IDAT":
            parts.append(data)
        at += length + 12
    width, height, depth, color, _compression, _filter, interlaced = header
    if depth != 8 or interlaced or color not in _SAMPLES:
        raise DeskhandError("PNG files that are interlaced or have other than 8 bits per sample need Pillow")
    size = _SAMPLES[color]
    raw = _unfiltered(zlib.decompress(b"".join(parts)), width * size, height, size)
    if color == 3:
        return Image(width, height, b"".join(palette[3 * index : 3 * index + 3] for index in raw))
    data = bytearray(width * height * 3)
    for channel in range(3):
        data[channel::3] = raw[channel if size > 2 else 0 :: size]
    return Image(width, height, bytes(data))


def _unfiltered(raw: bytes, stride: int, height: int, size: int) -> bytes:
    """Reverses PNG's row filters (PNG specification, section 9)."""
    above = bytearray(stride)
    rows: List[bytes] = []
    for y in range(height):
        kind = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        if kind == 2:
            row = bytearray((value + over) & 255 for value, over in zip(row, above))
        elif kind:
            for i in range(stride):
                left = row[i - size] if i >= size else 0
                corner = above[i - size] if i >= size else 0
                row[i] = (row[i] + _predicted(kind, left, above[i], corner)) & 255
        rows.append(bytes(row))
        above = row
    return b"".join(rows)


def _predicted(kind: int, left: int, over: int, corner: int) -> int:
    if kind == 1:
        return left
    if kind == 3:
        return (left + over) // 2
    guess = left + over - corner
    by_left, by_over, by_corner = abs(guess - left), abs(guess - over), abs(guess - corner)
    if by_left <= by_over and by_left <= by_corner:
        return left
    return over if by_over <= by_corner else corner


def plain_image(image: Any) -> Image:
    """Converts an image of Pillow, OpenCV (blue, green, red) or this module, or a file by its path, to an Image."""
    if isinstance(image, Image):
        return image
    if isinstance(image, (str, os.PathLike)):
        with open(image, "rb") as file:
            content = file.read()
        if content.startswith((_PNG, b"BM")):
            try:
                return read_image(content)
            except DeskhandError:
                pass  # Pillow supports more of them
        image = _open_with_pillow(os.fspath(image))
    if hasattr(image, "convert"):
        rgb = image.convert("RGB")
        return Image(rgb.width, rgb.height, rgb.tobytes())
    if hasattr(image, "shape"):
        return _of_array(image)
    raise TypeError("expected a file name, a Pillow image or an OpenCV array")


def _open_with_pillow(path: str) -> Any:
    try:
        from PIL import Image as pillow
    except ImportError:
        raise DeskhandError(f"{path}: this image format needs Pillow: pip install pillow") from None
    return pillow.open(path)


def _of_array(array: Any) -> Image:
    height, width = array.shape[:2]
    if len(array.shape) == 2:
        return Image(width, height, bytes(value for byte in array.tobytes() for value in (byte,) * 3))
    raw, size = array.tobytes(), array.shape[2]
    data = bytearray(width * height * 3)
    for channel in range(3):
        data[channel::3] = raw[2 - channel :: size]
    return Image(width, height, bytes(data))
