"""Reading, writing and searching pictures without a library; Pillow is the witness if installed."""

import io
import random
import struct
import unittest
import zlib

from deskhand._errors import DeskhandError
from deskhand._image import Image, plain_image, read_image
from deskhand._search import find_all, planes_of

try:
    from PIL import Image as pillow
except ImportError:
    pillow = None


def noise(width, height, seed=1):
    return Image(width, height, random.Random(seed).randbytes(width * height * 3))


class Files(unittest.TestCase):
    def test_what_is_written_is_read(self):
        for width, height in ((1, 1), (3, 2), (17, 5), (64, 64)):
            image = noise(width, height)
            for content in (image.png(), image.bmp()):
                read = read_image(content)
                self.assertEqual((read.size, read.tobytes()), (image.size, image.tobytes()))

    def test_rows_of_bmp_from_the_top_and_with_a_fourth_byte(self):
        head = struct.pack("<2sIHHI", b"BM", 0, 0, 0, 54)
        info = struct.pack("<IiiHHIIiiII", 40, 2, -1, 1, 32, 0, 0, 0, 0, 0, 0)
        image = read_image(head + info + bytes([3, 2, 1, 0, 6, 5, 4, 0]))
        self.assertEqual(list(image.getdata()), [(1, 2, 3), (4, 5, 6)])

    def test_every_filter_of_png(self):
        rows = [bytes([kind]) + bytes([10, 20, 30, 40, 50, 60]) for kind in range(5)]
        header = struct.pack(">IIBBBBB", 2, 5, 8, 2, 0, 0, 0)
        content = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
        content += chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")
        image = read_image(content)
        expected = [
            [10, 20, 30, 40, 50, 60],
            [10, 20, 30, 50, 70, 90],  # with the left pixel
            [20, 40, 60, 90, 120, 150],  # with the pixel above
            [20, 40, 60, 95, 130, 165],  # with the mean of both
            [30, 60, 90, 135, 180, 225],  # with the nearest of three (Paeth)
        ]
        self.assertEqual([list(image.tobytes()[i * 6 : i * 6 + 6]) for i in range(5)], expected)
        if pillow:
            self.assertEqual(pillow.open(io.BytesIO(content)).convert("RGB").tobytes(), image.tobytes())

    @unittest.skipUnless(pillow, "Pillow is not installed")
    def test_pillows_files_of_several_kinds(self):
        source = pillow.frombytes("RGB", (40, 30), noise(40, 30).tobytes())
        for mode, name in (("RGB", "png"), ("RGBA", "png"), ("L", "png"), ("P", "png"), ("LA", "png"), ("RGB", "bmp")):
            with self.subTest(f"{mode} {name}"):
                file = io.BytesIO()
                image = source.convert(mode)
                image.save(file, name)
                self.assertEqual(read_image(file.getvalue()).tobytes(), image.convert("RGB").tobytes())

    @unittest.skipUnless(pillow, "Pillow is not installed")
    def test_pillow_reads_what_is_written(self):
        image = noise(17, 9)
        for content in (image.png(), image.bmp()):
            self.assertEqual(pillow.open(io.BytesIO(content)).convert("RGB").tobytes(), image.tobytes())
        self.assertEqual(plain_image(pillow.open(io.BytesIO(image.png()))).tobytes(), image.tobytes())

    def test_other_files_are_refused_by_name(self):
        with self.assertRaisesRegex(DeskhandError, "need Pillow"):
            read_image(b"\xff\xd8\xff\xe0 a JPEG")

    def test_pixels_and_parts(self):
        image = Image(2, 2, bytes(range(12)))
        self.assertEqual((image.size, image.getpixel((1, 1))), ((2, 2), (9, 10, 11)))
        self.assertRaises(IndexError, image.getpixel, (2, 0))
        part = image.crop((1, 0, 3, 2))
        self.assertEqual(list(part.getdata()), [(3, 4, 5), (0, 0, 0), (9, 10, 11), (0, 0, 0)])
        self.assertEqual(image.crop((-1, -1, 1, 1)).getpixel((1, 1)), (0, 1, 2))


class Searches(unittest.TestCase):
    def find(self, needle, haystack, share=1.0, tolerance=0, gray=False):
        found = find_all(planes_of(needle, gray), planes_of(haystack, gray), share, tolerance)
        return [(place.x, place.y) for place in found]

    def test_a_part_is_found_where_it_was_cut(self):
        haystack = noise(90, 70)
        for x, y, width, height in ((0, 0, 5, 5), (85, 65, 5, 5), (33, 21, 20, 9), (0, 69, 90, 1), (0, 0, 90, 70)):
            needle = haystack.crop((x, y, x + width, y + height))
            for gray in (False, True):
                self.assertEqual(self.find(needle, haystack, gray=gray), [(x, y)])
                self.assertEqual(self.find(needle, haystack, 0.9, 10, gray), [(x, y)])

    def test_a_changed_part_is_found_by_share_and_by_tolerance(self):
        haystack = noise(80, 60)
        cut = bytearray(haystack.crop((20, 10, 50, 30)).tobytes())
        for at in range(0, 100, 3):  # 34 of 600 pixels
            cut[at] ^= 0xFF
        needle = Image(30, 20, bytes(cut))
        self.assertEqual(self.find(needle, haystack), [])
        self.assertEqual(self.find(needle, haystack, 0.9), [(20, 10)])
        self.assertEqual(self.find(needle, haystack, 0.99), [])
        near = Image(30, 20, bytes(min(255, value + 8) for value in haystack.crop((20, 10, 50, 30)).tobytes()))
        self.assertEqual(self.find(near, haystack, 1.0, 7), [])
        self.assertEqual(self.find(near, haystack, 1.0, 8), [(20, 10)])

    def test_several_are_in_reading_order_and_do_not_overlap(self):
        mark = noise(4, 3, 5)
        rows = bytearray(60 * 40 * 3)
        for x, y in ((50, 30), (10, 30), (5, 2)):
            for line in range(3):
                at = ((y + line) * 60 + x) * 3
                rows[at : at + 12] = mark.tobytes()[line * 12 : line * 12 + 12]
        haystack = Image(60, 40, bytes(rows))
        self.assertEqual(self.find(mark, haystack), [(5, 2), (10, 30), (50, 30)])
        plain = Image(2, 2, bytes(12))
        self.assertEqual(self.find(plain, Image(4, 2, bytes(24))), [(0, 0), (2, 0)])

    def test_a_label_counts_more_than_the_area_around_it(self):
        blank = Image(40, 20, b"\xff" * 2400)
        label = bytearray(blank.tobytes())
        for x in range(10, 30, 2):
            label[(10 * 40 + x) * 3 : (10 * 40 + x) * 3 + 3] = b"\0\0\0"
        self.assertEqual(self.find(Image(40, 20, bytes(label)), blank, 0.9, 25), [])

    def test_a_larger_picture_is_refused(self):
        with self.assertRaisesRegex(ValueError, "exceed"):
            self.find(noise(5, 5), noise(4, 9))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    unittest.main()
