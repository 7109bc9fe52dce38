"""Log in to Airflow's application; prints one line of JSON with the answers.

In a process of its own, as Airflow's settings are of the whole process: `python -m tests.platform.log_in PASSWORD`.
Nothing is served.
"""

import json
import sys


def main(password: str) -> dict[str, object]:
    """Return the status of each answer, by what was asked."""
    from airflow.api_fastapi.app import create_app, get_auth_manager
    from fastapi.testclient import TestClient

    client = TestClient(create_app(), follow_redirects=False)

    def log_in(user: str, secret: str) -> tuple[int, str]:
        answer = client.post("/auth/token", json={"username": user, "password": secret})
        client.cookies.clear()
        return answer.status_code, answer.json().get("access_token", "")

    def get(page: str, token: str = "") -> int:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        status = client.get(page, headers=headers).status_code
        client.cookies.clear()
        return status

    right, token = log_in("admin", password)
    return {
        "manager": type(get_auth_manager()).__name__,
        "right": right,
        "wrong": log_in("admin", "admin")[0],
        "stranger": log_in("stranger", password)[0],
        "pools": get("/api/v2/pools", token),
        "pages": get("/graphrag/snapshots", token),
        "pools of strangers": get("/api/v2/pools"),
        "pages of strangers": get("/graphrag/snapshots"),
    }


if __name__ == "__main__":
    print("RESULT", json.dumps(main(sys.argv[1])))  # noqa: T201
