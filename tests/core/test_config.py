"""The loader: what wins, and what a wrong setting is told."""

from pathlib import Path

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError


def test_overrides_win_over_environment_over_file(tmp_path: Path) -> None:
    file = tmp_path / "graphrag.toml"
    file.write_text('store = "from-file"\n[chunk]\nmax_characters = 900\noverlap_characters = 90\n')
    environ = {"GRAPHRAG__CHUNK__MAX_CHARACTERS": "1000", "GRAPHRAG__SOURCES": '["a", "b"]'}
    config = load_config(file, overrides={"chunk": {"overlap_characters": 50}}, environ=environ)
    assert config.store == "from-file"
    assert config.chunk.max_characters == 1000
    assert config.chunk.overlap_characters == 50
    assert config.sources == ("a", "b")


def test_a_table_of_settings_may_stand_in_one_variable() -> None:
    given = {"GRAPHRAG__LLM__PRICES": '{"my.model": {"input": 1, "output": 2}}'}
    assert load_config(environ=given).llm.prices["my.model"].output == 2


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"chunk": {"max_charcters": 5}}, "Did you mean 'max_characters'?"),
        ({"chnk": {}}, "Did you mean 'chunk'?"),
        ({"chunk": {"zzz": 1}}, "Known here: max_characters, overlap_characters"),
        ({"chunk": {"max_characters": 0}}, "greater than 0"),
        ({"chunk": {"max_characters": 100}}, "at most half"),
        ({"llm": {"models": {"awnser": "m"}}}, "unknown purpose 'awnser'. Known: extract, confirm"),
        ({"merge_shards": {"max_failed_share": 1.5}}, "less than or equal to 1"),
    ],
)
def test_a_wrong_setting_is_named(overrides: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said.replace("?", r"\?")):
        load_config(overrides=overrides, environ={})


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("store = ")
    with pytest.raises(ConfigError, match=r"bad\.toml: not valid TOML"):
        load_config(tmp_path / "bad.toml", environ={})
