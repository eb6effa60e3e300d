"""Systems of SMFF (Neukirchner, Stein, Ernst 2011), the XML files that pyCPA loads: a periodic flow for each link of
tasks that goes from one resource to another."""

from pathlib import Path
from xml.etree.ElementTree import Element

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported, asked, some
from ringlet.imports.flows.curves import quantity
from ringlet.imports.flows.flow_rows import flows, named_once
from ringlet.imports.xml_file import xml_root
from ringlet.scenario.file.reading import read_bytes
from ringlet.sections.wording import counted


def read(file: Path, answers: Answers) -> Imported:
    """Returns the links of tasks between resources as flows.

    Raises:
        RingletError: the file is no system of SMFF, a task has no activation; or nothing says the unit of times or the
            size of messages.
    """
    content = read_bytes(file, "a system of SMFF", most_bytes=limits.TOML_BYTES)
    root = xml_root(file, content)
    if root.tag != "SystemModel":
        raise RingletError.not_allowed(str(file), f"<{root.tag}>", "<SystemModel> of SMFF")
    if answers.size is None:
        raise asked(str(file), "messages have a transmission time and no size", "--size", "that of all, such as '8 B'")
    if answers.time_unit is None:
        raise asked(str(file), "its times have no unit", "--time-unit", "it, such as 'us'")
    # Names of nodes are without ':'.
    resources = {
        one.get("resID"): str(one.get("shortName")).replace(":", "-") for one in root.iterfind("Platform/Resource")
    }
    rows: list[dict[str, str]] = []
    local = 0
    for application in root.iterfind("Applications/Application"):
        place = f"{file}, application {application.get('appID')}"
        found = _rows(place, application, resources, answers)
        links = len(application.findall("TaskLink"))
        local += links - len(found)
        rows += found
    if not rows:
        raise RingletError.not_allowed(str(file), "<no link>", "a link of tasks from one resource to another")
    named_once(rows)
    ends = {row[key] for row in rows for key in ("source", "destination")}
    names = [name for name in resources.values() if name in ends]
    made = flows({"node_names": names}, rows)
    made.taken = [
        f"{counted(len(names), 'node')}, the resources between which tasks are linked: {some(names)}",
        f"{counted(len(rows), 'flow')}, with period and jitter of the first task of their chain: "
        f"{some(row['name'] for row in rows)}",
    ]
    made.left_out = [f"{counted(local, 'link')} of tasks on one resource"] if local else []
    made.left_out += [
        "response times of tasks: they add to the jitter of what the tasks send",
        "transmission times, communication resources, end-to-end constraints; priorities are a label",
    ]
    return made


def _rows(place: str, application: Element, resources: dict[str | None, str], answers: Answers) -> list[dict[str, str]]:
    tasks = {task.get("ID"): task for task in application.iterfind("Task")}
    mapped = {one.get("tid"): one.get("rid") for one in application.iterfind("Mapping/mapTask")}
    before = {link.get("trgt"): link.get("src") for link in application.iterfind("TaskLink")}
    rows = []
    for link in application.iterfind("TaskLink"):
        name = str(link.get("shortName"))
        ends = []
        for key in ("src", "trgt"):
            resource = resources.get(mapped.get(link.get(key)))
            if resource is None:
                value = f"task {link.get(key)}"
                raise RingletError.not_allowed(f"{place}, link {name!r}", value, "a task that is mapped to a resource")
            ends.append(resource)
        if ends[0] == ends[1]:
            continue
        first, passed = link.get("src"), {link.get("trgt")}
        while first in before and first not in passed:
            passed.add(first)
            first = before[first]
        pattern = tasks[first].find("Profile/ActivationPattern") if first in tasks else None
        period = None if pattern is None else pattern.get("activationPeriod")
        if pattern is None or period is None:
            allowed = "a task with a PJActivation, which has a period"
            raise RingletError.not_allowed(f"{place}, link {name!r}, first task", str(first), allowed)
        times = {
            key: quantity(f"{place}, task {first}, {key}", value, answers.time_unit, "ns") / 1e3
            for key, value in (("period", period), ("jitter", pattern.get("activationJitter") or 0))
        }
        row = {"name": name, "source": ends[0], "destination": ends[1], "size": str(answers.size)}
        row |= {"arrivals": "periodic", "period_us": f"{times['period']:.15g}"}
        if times["jitter"]:
            row["jitter_us"] = f"{times['jitter']:.15g}"
        priority = link.find("SchedulingParameter")
        if priority is not None and priority.get("priority"):
            row["spp"] = str(priority.get("priority"))
        rows.append(row)
    return rows
