"""Each test has a namespace, and sees only what it creates."""


def test_creates_a_campaign(namespace):
    form = {
        "name": "Autumn",
        "funding_instrument_id": namespace.credentials["funding_instrument_id"],
        "daily_budget_amount_local_micro": 5_500_000,
    }
    created = namespace.session.post(f"{namespace.url}/campaigns", data=form)
    assert created.status_code == 201, created.text
    listed = namespace.session.get(f"{namespace.url}/campaigns").json()["data"]
    assert [each["id"] for each in listed] == [created.json()["data"]["id"]]


def test_begins_without_campaigns(namespace):
    assert namespace.session.get(f"{namespace.url}/campaigns").json()["data"] == []
