"""A picture that is on no screen."""

import os


def noise(picture):
    """Noise of 40 by 30 pixels, as the kind of picture that the given one is."""
    part = picture.crop((0, 0, 40, 30))
    if hasattr(part, "png"):
        return type(part)(40, 30, os.urandom(3600))
    from PIL import Image

    return Image.effect_noise((40, 30), 90)
