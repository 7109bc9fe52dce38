"""### Let users' questions decide which types and relations the graph has.

**propose** reads users' questions, names types and relations for them (QuestionRAG), and
consolidates them to one ontology, which it keeps in `STORE/ontology/proposed/`. **approve** waits
for a person, in Airflow's list of required actions, and shows the difference to the ontology in
force. **put_in_force** takes the ontology that was shown, and no other. Rejected, or not answered
in time, nothing changes.

The next run of `graphrag_reindex` uses it with `relationships.schema_file = "approved"`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Param, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException
from graphrag_defaults import DEFAULT_ARGS, LLM_POOL, params_of, store_param

from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.ids import content_id

DEFAULTS = load_config()

_ANSWER_WITHIN = timedelta(days=3)  # As long as a weekend, and a day to read it.


@dag(
    schedule=None,
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=True,
    dagrun_timeout=_ANSWER_WITHIN + timedelta(hours=8),
    default_args=DEFAULT_ARGS,
    params={
        "store": store_param(),
        "questions": Param(
            DEFAULTS.quality.questions or "",
            type="string",
            title="Questions",
            description="JSON lines, each with a question of a user (docs/how-to/ontology.md)",
        ),
        "outside": Param(
            "keep",
            type="string",
            enum=["map", "keep", "drop"],
            title="Other relations",
            description="Outside the ontology: map to one, keep as they are, or drop",
        ),
        "llm": Param(
            False, type="boolean", title="By a model", description="Have llm.models.ontology name types and relations"
        ),
    },
    description="Propose types and relations from users' questions, and wait for an approval",
    doc_md=__doc__,
    tags=["graphrag"],
)
def graphrag_ontology() -> None:
    @task(pool=LLM_POOL)
    def propose() -> str:
        """Propose an ontology, and say what a person is asked; returns its id."""
        from graphrag_tasks.workbench.ontology import propose_in_store, shown_in_store

        context = get_current_context()
        params = params_of(context)
        if not params["questions"]:
            raise AirflowSkipException("quality.questions names no file of questions")
        config = load_config(overrides={"store": params["store"]})
        run = f"ontology-{content_id('run', context['run_id'])}"
        proposal = propose_in_store(
            config, params["questions"], by_model=params["llm"], outside=params["outside"], run=run
        )
        asked = shown_in_store(params["store"], proposal.id)
        if asked is None:
            raise AirflowSkipException(f"ontology {proposal.id} is in force already")
        context["ti"].xcom_push("subject", asked.subject)
        context["ti"].xcom_push("body", asked.body)
        return asked.id

    approve = ApprovalOperator(
        task_id="approve",
        subject="{{ ti.xcom_pull(task_ids='propose', key='subject') }}",
        body="{{ ti.xcom_pull(task_ids='propose', key='body') }}",
        defaults=ApprovalOperator.REJECT,
        response_timeout=_ANSWER_WITHIN,
        execution_timeout=_ANSWER_WITHIN + timedelta(hours=1),
    )

    @task
    def put_in_force() -> dict[str, Any]:
        """Put the ontology in force that was shown."""
        from graphrag_tasks.workbench.ontology import Ontologies

        context = get_current_context()
        shown = context["ti"].xcom_pull(task_ids="propose")
        approved = Ontologies(context["params"]["store"]).approve(shown)
        return {"id": approved.id, "covered": approved.report.covered}

    propose() >> approve >> put_in_force()


graphrag_ontology()
