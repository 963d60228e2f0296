"""Results as tables of all frames, and drawn."""
import os
import subprocess

import numpy as np
import pytest

import scree


@pytest.fixture
def results(box_fill, tmp_path):
    """Of 40 grains, of which the second stage takes the upper ones away."""
    box_fill["stages"][1]["cut_above"] = "15 mm"
    box_fill["output"] = {"every": "50 ms"}
    file = tmp_path / "case.yaml"
    file.write_text(box_fill.text())
    subprocess.run([os.environ["SCREE_BINARY"], "run", file, "--out", tmp_path / "out", "--quiet", "--no-report"], check=True)
    return scree.Results(tmp_path / "out")


def test_frames_become_one_table(results):
    data = results.to_xarray()
    frames = list(results.frames)
    assert len(frames[-1]["id"]) < len(frames[0]["id"]) == 40, "some grains were taken away"
    assert data.sizes == {"time": len(frames), "grain": 40, "axis": 3, "quaternion": 4}
    assert np.array_equal(data["time"], results.frames.times) and data["time"].attrs["units"] == "s"
    for k, frame in enumerate(frames):
        there = np.isin(data["grain"], frame["id"])
        for name in ("size", "mass", "position", "velocity", "angular_velocity", "orientation"):
            table = data[name].isel(time=k).to_numpy()
            for row, grain in enumerate(frame["id"]):
                assert np.array_equal(table[list(data["grain"]).index(grain)], frame[name][row]), (name, k)
            assert np.isnan(table[~there]).all(), (name, k)
        assert (data["shape"].isel(time=k).to_numpy()[~there] == -1).all()
    grain = int(frames[0]["id"][7])
    assert float(data["position"].sel(grain=grain, axis="z")[0]) == frames[0]["position"][7, 2]
    assert data["velocity"].attrs["units"] == "m/s" and data["mass"].attrs["units"] == "kg"
    assert data.attrs["title"] == results.record["title"] and data.attrs["shapes"] == frames[0].shapes
    only = results.to_xarray("position")
    assert list(only.data_vars) == ["position"] and only["position"].equals(data["position"])
    with pytest.raises(KeyError, match="angular_velocity"):
        results.to_xarray("spin")


def test_series_are_drawn(results):
    import matplotlib
    matplotlib.use("Agg")
    series = results.series
    axes = results.plot("elastic")
    (line,) = axes.lines
    assert np.array_equal(line.get_xdata(), series.index) and np.array_equal(line.get_ydata(), series["elastic [J]"])
    assert axes.get_xlabel() == "time [s]" and axes.get_ylabel() == "elastic [J]"
    both = results.plot("elastic [J]", "potential", x="max_speed")
    assert [line.get_label() for line in both.lines] == ["elastic", "potential"] and both.get_ylabel() == "[J]"
    assert np.array_equal(both.lines[1].get_xdata(), series["max_speed [m/s]"]) and both.get_xlabel() == "max_speed [m/s]"
    mixed = results.plot("elastic", "max_speed", ax=axes)
    assert mixed is axes and len(axes.lines) == 3 and axes.get_ylabel() == "elastic [J]"
    named = {text.get_text(): line for text, line in zip(axes.get_legend().get_texts(), axes.get_legend().get_lines())}
    assert list(named) == ["elastic", "elastic [J]", "max_speed [m/s]"]
    assert named["max_speed [m/s]"].get_color() == axes.lines[2].get_color()
    assert np.array_equal(axes.lines[2].get_ydata(), series["max_speed [m/s]"])
    with pytest.raises(KeyError, match="kinetic_rotation"):
        results.plot("kinetic")
    with pytest.raises(ValueError, match="no column"):
        results.plot()


def test_a_frame_is_a_picture(results, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib.image")
    frame = results.frames[-1]
    png = frame.picture(size=(120, 80))
    file = tmp_path / "frame.png"
    file.write_bytes(png)
    pixels = matplotlib.imread(file)
    assert pixels.shape[:2] == (80, 120) and 0.01 < (pixels[..., :3].min(axis=2) < 0.9).mean() < 1
    assert frame.picture(size=(120, 80)) == png, "the same picture again"
    for other in ({"seen_from": (-1, 0, 0.5)}, {"colour": "size"}):
        assert frame.picture(size=(120, 80), **other) != png
    with pytest.raises(ValueError, match="--colour"):
        frame.picture(colour="colourful")
    with pytest.raises(ValueError, match="--size"):
        frame.picture(size=(0, 80))
    killed = tmp_path / "killed"
    killed.write_text("#!/bin/sh\nkill -KILL $$\n")
    killed.chmod(0o755)
    with monkeypatch.context() as other:
        other.setenv("SCREE_BINARY", str(killed))
        with pytest.raises(OSError, match="ended by signal 9 "):
            frame.picture()
    with open(frame.path, "r+b") as file:
        file.truncate(900)
    with pytest.raises(OSError, match=os.path.basename(frame.path)):
        frame.picture()
    os.remove(frame.path)
    with pytest.raises(FileNotFoundError, match=os.path.basename(frame.path)):
        frame.picture()


def test_a_report_is_made_where_there_is_none(results, box_fill, tmp_path, monkeypatch):
    assert not os.path.exists(tmp_path / "out" / "report.html")
    monkeypatch.chdir(tmp_path)
    report = results.report()
    assert os.path.samefile(report, tmp_path / "out" / "report.html") and os.path.getsize(report) > 100_000
    assert 'src="out/report.html"' in report._repr_html_() == results._repr_html_()
    made = os.stat(report).st_mtime_ns
    results.report()
    assert os.stat(report).st_mtime_ns == made, "once"
    # of a run that has gone on since
    with scree.Run(box_fill) as run:
        run.record("python")
        run.advance(0.05)
        before = open(scree.Results("python").report(), "rb").read()
        os.utime("python/report.html", (0, 0))
        run.advance(0.05)
    assert open(scree.Results("python").report(), "rb").read() != before
    # what is in the way is told
    os.remove(report)
    monkeypatch.setenv("SCREE_BINARY", str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match="SCREE_BINARY"):
        results.report()
    assert "SCREE_BINARY" in results._repr_html_() and "&lt;scree.Results" in results._repr_html_()
    monkeypatch.undo()
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "run.json").write_text("{}")
    with pytest.raises(OSError, match="neither frames nor series.csv"):
        scree.Results(tmp_path / "empty").report()


def test_a_time_has_to_be_finite(results):
    for time in (float("inf"), -float("inf"), float("nan")):
        with pytest.raises(ValueError, match="finite"):
            results.at(time)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_damaged_files_are_told_alike(results, text):
    for name, read in (("frames.hdf.series", lambda: results.frames),
                       ("run.json", lambda: scree.Results(results.folder))):
        path = os.path.join(results.folder, name)
        with open(path, "wb") as file:
            file.write(text)
        with pytest.raises(OSError, match=name):
            read()
        os.remove(path)
        with pytest.raises(FileNotFoundError, match=name):
            read()


def test_a_damaged_series_or_frame_is_told_alike(results):
    import h5py
    frame = results.frames[0].path
    for path, read in ((os.path.join(results.folder, "series.csv"), lambda: results.series),
                       (frame, lambda: results.frames[0])):
        for text in (b"", b"\xff\xfe\x00,1\n2"):
            with open(path, "wb") as file:
                file.write(text)
            with pytest.raises(OSError, match=os.path.basename(path)):
                read()
    h5py.File(frame, "w").close()
    with pytest.raises(OSError, match="no frame of a run"):
        results.frames[0]
