"""Generated payloads have the sizes of the originals in every format, with and without compression: 27 documents."""

import json

import independent
import pytest

from callbench.catalog.generator.calibrate import calibrated
from callbench.catalog.generator.draw import Generator
from callbench.catalog.generator.fit import fit
from callbench.catalog.imports.fleet import documents, named

MESSAGES = 200
# Nothing but true, false, null and names of fields: one message alone has their sizes.
FIXED = {"commitlintbasic", "sapcloudsdkpipeline", "tslintbasic", "tslintmulti"}
# Numbers of one digit alone: no other messages have their sizes.
FEW = {"circleciblank", "circlecimatrix", "jsonereversesort", "jsonesort"}


@pytest.mark.parametrize("name", documents.names())
def test_sizes_of_a_thousand_messages(name: str) -> None:
    service = named.imported(f"fleet:viotti/{name}")
    (call,) = service.schema.calls
    ((pair,),) = service.payloads.values()
    generator = Generator(
        calibrated(fit(service.schema, [call.request], [[pair.request]]), service.schema), service.schema
    )
    made = [generator.sample(index)[0] for index in range(MESSAGES)]
    different = len({json.dumps(one) for one in made})
    assert different == 1 if name in FIXED else different > 2 if name in FEW else different > MESSAGES / 2
    for format_, encode, _ in independent.encoders(service.schema, call.request):
        for after in (bytes, independent.compressed):
            original = len(after(encode(pair.request)))
            mean = sum(len(after(encode(one))) for one in made) / MESSAGES
            assert mean == pytest.approx(original, rel=0.05), (format_, after.__name__)
