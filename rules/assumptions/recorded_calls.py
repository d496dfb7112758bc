"""The arguments are like those of the recorded calls, or of the calls in the project.

`convert --evidence` takes over which parameters were arrays, with how many dimensions, and which were numbers or strings, where nothing else
says so. So do the calls in the project, for the ranks of arrays. Other calls may pass something else.
"""

from __future__ import annotations

from ..core.assumptions import ConditionKind

kind = ConditionKind("recorded", "annotate the parameter (`x: np.ndarray`)")
