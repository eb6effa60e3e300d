"""Traffic matrices as people have them: labels, blanks, tabs, semicolons, comments, gzip, nodes that only receive."""

import gzip

import numpy as np
import pytest

import ringlet as rl
from ringlet import RingletError, Scenario

SHARES = [[0, 0.5, 0.5, 0], [0, 0, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
PLAIN = "0,0.5,0.5,0\n0,0,1,0\n1,0,0,0\n1,0,0,0\n"
LABELLED = ",a,b,c,d\na,0,0.5,0.5,0\nb,0,0,1,0\nc,1,0,0,0\nd,1,0,0,0\n"


def scenario(folder, content, *, names=None, file="m.csv", **traffic):
    path = folder / file
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    network = {"nodes": 4} | ({} if names is None else {"node_names": names})
    return Scenario.from_dict(
        {"network": network, "traffic": {"matrix_file": file, **traffic}, "run": {"duration": "20 us"}}, base_dir=folder
    )


@pytest.mark.parametrize(
    "content",
    {
        "commas": PLAIN,
        "blanks": PLAIN.replace(",", "  "),
        "blanks before": " " + PLAIN.replace(",", " ").replace("\n", "\n "),
        "tabs": PLAIN.replace(",", "\t"),
        "semicolons": PLAIN.replace(",", ";"),
        "semicolons and decimal commas": PLAIN.replace(",", ";").replace(".", ","),
        "tabs and decimal commas": PLAIN.replace(",", "\t").replace(".", ","),
        "comments": "# demands, in shares\n% of 2026\n" + PLAIN.replace("\n", "  # a row\n"),
        "labels": LABELLED,
        "labels of rows": "".join(line.removeprefix(",") + "\n" for line in LABELLED.splitlines()[1:]),
        "labels of columns": "a,b,c,d\n" + PLAIN,
        "labels that are numbers": ",1,2,3,4\n" + "".join(f"{i},{row}\n" for i, row in enumerate(PLAIN.split(), 1)),
        "labels in blanks": LABELLED.replace(",", " "),
        "gzip": gzip.compress(PLAIN.encode(), mtime=0),
        "a byte-order mark": "\ufeff" + PLAIN,
        "Windows": PLAIN.replace("\n", "\r\n"),
    }.items(),
    ids=lambda one: one[0],
)
def test_a_matrix_is_read_however_it_is_written(tmp_path, content):
    assert np.array_equal(scenario(tmp_path, content[1]).traffic_matrix(), SHARES)


def test_labels_that_are_names_of_nodes_put_rows_and_columns_in_their_order(tmp_path):
    turned = ",d,c,b,a\nd,0,0,0,1\nb,0,1,0,0\na,0,0.5,0.5,0\nc,0,0,0,1\n"
    assert np.array_equal(scenario(tmp_path, turned, names=["a", "b", "c", "d"]).traffic_matrix(), SHARES)
    assert np.array_equal(scenario(tmp_path, LABELLED).traffic_matrix(), SHARES)


def test_a_node_whose_row_is_zero_only_receives(tmp_path):
    found = scenario(tmp_path, "0,64,128,0\n0,0,128,96\n0,0,0,0\n96,0,0,0\n", load="50 MB/s")
    assert found.traffic_matrix()[2].tolist() == [0, 0, 0, 0]
    result = rl.run(found).nodes
    assert result["throughput_MBps"].iloc[2] == 0
    assert (result["throughput_MBps"].drop(2) > 0).all()


@pytest.mark.parametrize(
    ("content", "names", "message"),
    [
        ("0,1,0,0\n0,0,x,1\n", None, "m.csv, line 2, column 3: 'x' is not allowed; a number"),
        (LABELLED.replace("1,0,0,0\nd", "1,z,0,0\nd"), None, "m.csv, line 4, column 3: 'z' is not allowed; a number"),
        (PLAIN.replace("\n1,0,0,0\n", "\n1,0,0\n", 1), None, "line 3: <3 values> is not allowed; 4 values, one per no"),
        (LABELLED, ["a", "b", "c", "e"], "labels of rows: 'd' is not allowed; a name of network.node_names: 'a', 'b'"),
        (LABELLED.replace("d,1", "c,1"), ["a", "b", "c", "d"], "labels of rows: 'c' is not allowed; each label once"),
        (",a,b,c,d\nb,0,1,0,0\na,0,0,1,0\nc,1,0,0,0\nd,1,0,0,0\n", None, "<rows b, a, c, d> is not allowed; the order"),
        ("0,0\n0,0\n", None, "2 rows"),
        ("0 0 0 0\n" * 4, None, "<a matrix of zeros> is not allowed; a row that is not zero"),
        ("50%,50%,0,0\n" + PLAIN, None, "column 1: '50%' is not allowed; a number"),
        (gzip.compress(PLAIN.encode(), mtime=0)[:-9], None, "m.csv: a damaged gzip file"),
        ("# nothing\n", None, "<an empty file> is not allowed; a row of probabilities"),
    ],
)
def test_a_bad_matrix_is_refused_with_line_and_column(tmp_path, content, names, message):
    with pytest.raises(RingletError) as refused:
        scenario(tmp_path, content, names=names)
    assert message in str(refused.value)
