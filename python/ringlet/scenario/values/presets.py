"""Sections with presets."""

from collections.abc import Mapping
from typing import Any, ClassVar

from ringlet.sections import Section


class FromPreset(Section):
    """A section that takes what is not given from the values of a preset; without one its defaults are those."""

    presets: ClassVar[Mapping[str, Mapping[str, object]]]

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        preset = content.get("preset")
        return {**cls.presets[preset], **content} if isinstance(preset, str) and preset in cls.presets else content
