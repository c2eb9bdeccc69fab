"""A picture that appears on no screen."""

import os


def noise(picture):
    """Noise of 40 by 30 pixels, of the same type as the given picture."""
    part = picture.crop((0, 0, 40, 30))
    if hasattr(part, "png"):
        return type(part)(40, 30, os.urandom(3600))
    from PIL import Image

    return Image.effect_noise((40, 30), 90)
