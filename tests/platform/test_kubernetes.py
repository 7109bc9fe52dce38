"""deploy/helm/values.yaml: its pods are valid for Kubernetes, and keep no state and no secret."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.platform

ROOT = Path(__file__).parents[2]
VALUES = ROOT / "deploy" / "helm" / "values.yaml"
RELEASE = {
    "{{ .Release.Name }}": "airflow",
    "{{ .Values.defaultAirflowRepository }}": "registry/graphrag-airflow",
    "{{ .Values.defaultAirflowTag }}": "0.1.0",
}


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    text = VALUES.read_text("utf-8")
    for template, value in RELEASE.items():
        text = text.replace(template, value)
    assert "{{" not in text
    found: dict[str, Any] = yaml.safe_load(text)
    return found


@pytest.fixture(scope="module")
def pods(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The pod of tasks of shards, and that of tasks of the whole corpus."""
    files = yaml.safe_load(values["extraConfigMaps"]["airflow-graphrag-pods"]["data"])
    return {"shard": yaml.safe_load(values["podTemplate"]), "corpus": yaml.safe_load(files["corpus.yaml"])}


@pytest.mark.parametrize("name", ["shard", "corpus"])
def test_pods_are_valid_for_kubernetes(pods: dict[str, dict[str, Any]], name: str) -> None:
    import kubernetes_validate

    kubernetes_validate.validate(pods[name], "1.33", strict=True)
    broken = pods[name] | {"spec": pods[name]["spec"] | {"containers": "none"}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, "1.33", strict=True)


@pytest.mark.parametrize("name", ["scheduler", "apiServer", "dagProcessor", "triggerer"])
def test_components_are_valid_for_kubernetes(values: dict[str, Any], name: str) -> None:
    import kubernetes_validate

    component = values[name]
    container = {
        "name": "one",
        "image": "one",
        "resources": component["resources"],
        "env": component.get("env", []),
        "envFrom": yaml.safe_load(values["extraEnvFrom"]),
        "volumeMounts": component.get("extraVolumeMounts", []),
    }
    spec = {"containers": [container], "volumes": component.get("extraVolumes", [])}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": spec}
    kubernetes_validate.validate(pod, "1.33", strict=True)


def test_pods_differ_in_what_they_may_take_alone(pods: dict[str, dict[str, Any]]) -> None:
    for pod in pods.values():
        (container,) = pod["spec"]["containers"]
        assert container.pop("resources")["limits"]["memory"]
        (scratch,) = [one for one in pod["spec"]["volumes"] if one["name"] == "scratch"]
        assert scratch.pop("emptyDir")["sizeLimit"]
    assert pods["shard"] == pods["corpus"]


def test_every_volume_is_mounted(pods: dict[str, dict[str, Any]]) -> None:
    for pod in pods.values():
        mounted = {one["name"] for one in pod["spec"]["containers"][0]["volumeMounts"]}
        assert mounted == {one["name"] for one in pod["spec"]["volumes"]}


def test_the_pipelines_settings_need_no_local_state(values: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from graphrag_tasks.core.config import load_config

    settings = yaml.safe_load(values["extraConfigMaps"]["airflow-graphrag"]["data"])
    config = load_config(environ=settings)
    assert config.store.startswith("s3://")
    assert all("=s3://" in one for one in config.sources)
    assert config.load.vector_store == "none"
    known = re.findall(r'"(GRAPHRAG_AIRFLOW_\w+)"', (ROOT / "dags/graphrag_defaults.py").read_text())
    assert {one for one in settings if one.startswith("GRAPHRAG_AIRFLOW_")} <= set(known)


def test_airflows_options_are_its_own(values: dict[str, Any]) -> None:
    from airflow.configuration import conf

    for section, options in values["config"].items():
        if section != "kubernetes_executor":  # of a provider that only the image has
            for option in options:
                known = conf.configuration_description[section]["options"]
                assert option in known, f"[{section}] {option}"


def test_no_secret_is_in_the_values() -> None:
    for line in VALUES.read_text("utf-8").splitlines():
        name, _, value = line.strip().partition(": ")
        secret = re.search(r"(?i)password|_token$|secret$|key$", name)
        assert not (secret and value), line


def test_tasks_of_the_corpus_get_the_larger_pod(values: dict[str, Any]) -> None:
    settings = yaml.safe_load(values["extraConfigMaps"]["airflow-graphrag"]["data"])
    (mount,) = values["scheduler"]["extraVolumeMounts"]
    assert settings["GRAPHRAG_AIRFLOW_CORPUS_POD"] == f"{mount['mountPath']}/corpus.yaml"
