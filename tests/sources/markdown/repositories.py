"""Ten small repositories of documentation, each in the Markdown of another generator.

A file's text is what its authors wrote; behind it, where it is a page, what a reader should get of
it: kinds and texts of blocks, and how many parts are left out, by reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from graphrag_tasks.storage.snapshots.store import Snapshot


class Page(NamedTuple):
    """A page and what is expected of it."""

    text: str
    blocks: list[tuple[str, str]]
    left_out: dict[str, int] = {}  # noqa: RUF012 - never changed
    title: str = ""


Repository = dict[str, "Page | str"]


@dataclass(frozen=True)
class World:
    """What was published of the repositories.

    Attributes:
        snapshot: Its tables.
        documents: Rows of `documents` by uri.
        blocks: Blocks by uri, in order.
    """

    snapshot: Snapshot
    documents: Mapping[str, dict[str, Any]]
    blocks: Mapping[str, list[dict[str, Any]]]


def write(repository: Repository, root: Path) -> Path:
    """Write the files of a repository below a folder, and return that."""
    for path, page in repository.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page.text if isinstance(page, Page) else page)
    return root


DOCFX: Repository = {
    "docs/receive-goods.md": Page(
        """---
title: "Receive goods in [!INCLUDE [prod_short](includes/prod_short.md)]"
description: "[!INCLUDE [prod_short](includes/prod_short.md)] posts receipts for purchase orders."
author: someone
ms.date: 01/02/2026
---
# Receive goods

[!INCLUDE [prod_short](includes/prod_short.md)] checks every delivery. The warehouse manager
opens a receipt in [!INCLUDE[prod_short](includes/prod_short.md)] and counts the items.

> [!NOTE]
> [!INCLUDE [prod_long](includes/prod_long.md)] reserves bins before it books them.

> [!div class="nextstepaction"]
> [Ship goods](ship-goods.md)

:::image type="content" source="media/receipt.png" alt-text="The receipt page shows open orders.":::

# [Web client](#tab/web)

Choose the **Receipts** list.

# [Handheld](#tab/handheld)

The handheld scans the label.

***

[!INCLUDE [missing](includes/not-there.md)]

[!code-csharp[Sample](code/sample.cs)]

The class <xref:Larch.Stock.Receipt?displayProperty=nameWithType> holds the lines.

## See also

[Ship goods](ship-goods.md)
[Count stock](count-stock.md) updates the ledger
""",
        [
            ("title", "Receive goods"),
            ("paragraph", "Larch Warehouse posts receipts for purchase orders."),
            (
                "paragraph",
                "Larch Warehouse checks every delivery. The warehouse manager opens a receipt in "
                "Larch Warehouse and counts the items.",
            ),
            ("paragraph", "Note"),
            ("paragraph", "Larch Warehouse Online reserves bins before it books them."),
            ("paragraph", "Ship goods"),
            ("paragraph", "The receipt page shows open orders."),
            ("paragraph", "Web client"),
            ("paragraph", "Choose the Receipts list."),
            ("paragraph", "Handheld"),
            ("paragraph", "The handheld scans the label."),
            ("paragraph", "The class Larch.Stock.Receipt holds the lines."),
            ("heading", "See also"),
            ("paragraph", "Ship goods Count stock updates the ledger"),
        ],
        {"include": 2},
        "Receive goods in Larch Warehouse",
    ),
    "docs/ship-goods.md": Page(
        """# Ship goods

The shipper prints a label in [!INCLUDE [prod_short](includes/prod_short.md)].

1. Pick the items.

   [!INCLUDE [pick](includes/pick-steps.md)]

2. Post the shipment.

:::row:::
:::column span="2":::
The carrier collects the parcel.
:::column-end:::
:::row-end:::

::: moniker range=">= larch-2"
Larch Warehouse sends a message to the buyer.
::: moniker-end

> [!VIDEO https://example.com/v]

```markdown
[!INCLUDE [example](includes/prod_short.md)]
```
""",
        [
            ("title", "Ship goods"),
            ("paragraph", "The shipper prints a label in Larch Warehouse."),
            ("list_item", "Pick the items."),
            ("paragraph", "The picker scans each bin. Larch Warehouse confirms it."),
            ("paragraph", "The scanner beeps twice."),
            ("list_item", "Post the shipment."),
            ("paragraph", "The carrier collects the parcel."),
            ("paragraph", "Larch Warehouse sends a message to the buyer."),
            ("code", "[!INCLUDE [example](includes/prod_short.md)]"),
        ],
        {"directive": 1},
        "Ship goods",
    ),
    "docs/count-stock.md": Page(
        """# Count stock

[!INCLUDE [prod_short](includes/prod_short.md)] freezes the bins while a clerk counts them.
""",
        [
            ("title", "Count stock"),
            ("paragraph", "Larch Warehouse freezes the bins while a clerk counts them."),
        ],
    ),
    "docs/includes/prod_short.md": "---\nms.topic: include\n---\nLarch Warehouse\n",
    "docs/includes/prod_long.md": "[!INCLUDE [prod_short](prod_short.md)] Online\n",
    "docs/includes/pick-steps.md": "The picker scans each bin. [!INCLUDE [p](prod_short.md)]\n"
    "confirms it.\n\nThe scanner beeps twice.\n",
}

GITHUB: Repository = {
    "README.md": Page(
        """# Cobalt queue

Cobalt stores messages on disk.

> [!WARNING]
> Cobalt deletes messages after seven days.

- Start the broker.

  > [!TIP] The broker reads its port from the environment.
""",
        [
            ("title", "Cobalt queue"),
            ("paragraph", "Cobalt stores messages on disk."),
            ("paragraph", "Warning"),
            ("paragraph", "Cobalt deletes messages after seven days."),
            ("list_item", "Start the broker."),
            ("paragraph", "The broker reads its port from the environment."),
        ],
    ),
    "docs/tuning.md": Page(
        """# Tuning

> [!note]- Slow disks
> A slow disk delays the broker.

> [!EXAMPLE]
> The broker flushes each batch.

[Cobalt broker](broker.md)

## Related topics

- [Queues](queues.md) store messages for consumers.
""",
        [
            ("title", "Tuning"),
            ("paragraph", "Slow disks"),
            ("paragraph", "A slow disk delays the broker."),
            ("paragraph", "The broker flushes each batch."),
            ("paragraph", "Cobalt broker"),
            ("heading", "Related topics"),
            ("list_item", "Queues store messages for consumers."),
        ],
    ),
    "docs/broker.md": Page(
        "# Broker\n\nThe broker accepts connections from producers.\n",
        [("title", "Broker"), ("paragraph", "The broker accepts connections from producers.")],
    ),
}

MKDOCS: Repository = {
    "docs/index.md": Page(
        """# Fennel scheduler

!!! note
    Fennel starts jobs at fixed times.

!!! warning "Lost jobs"
    A restart deletes queued jobs:

    * Fennel writes each lost job to the log.

    ```yaml
    note: "{{ not a macro }}"
      kept: true
    ```

--8<-- "snippets/support.md"

--8<-- "snippets/absent.md"

Operators keep the log for a year.

[TOC]
""",
        [
            ("title", "Fennel scheduler"),
            ("paragraph", "Fennel starts jobs at fixed times."),
            ("paragraph", "Lost jobs"),
            ("paragraph", "A restart deletes queued jobs:"),
            ("list_item", "Fennel writes each lost job to the log."),
            ("code", 'note: "{{ not a macro }}"\n  kept: true'),
            ("paragraph", "The support team answers questions about Fennel."),
            ("paragraph", "Operators keep the log for a year."),
        ],
        {"include": 1},
    ),
    "docs/jobs.md": Page(
        """---
title: Jobs
version: 4.2
---
# Jobs

Version {{ version }} of Fennel runs jobs in parallel. It reads {{ config.extra.limit }} files.

{% if internal %}
The scheduler keeps a history.
{% endif %}

{# hidden remark #}
""",
        [
            ("title", "Jobs"),
            ("paragraph", "Version 4.2 of Fennel runs jobs in parallel. It reads files."),
            ("paragraph", "The scheduler keeps a history."),
        ],
        {"directive": 2, "comment": 1},
    ),
    "snippets/support.md": "The support team answers questions about Fennel.\n",
}

MATERIAL: Repository = {
    "docs/install.md": Page(
        """# Install { #install .large }

=== "Linux"

    The package manager installs Harbor.

    ``` bash
    pkg add harbor
    ```

=== "Windows"

    The installer copies Harbor to the disk.

    !!! tip inline end "Quiet mode"

        The installer accepts a switch.

???+ question "Which port does it use?"
    Harbor listens on port 8080.

[Download](download.md){ .md-button .md-button--primary } :material-download:

Press ++ctrl+alt+del++ to stop ==Harbor==.

::: harbor.client.Session
    options:
      show_source: true

/// caution | Old versions
Old versions ignore the switch.
///

*[TLS]: Transport Layer Security
""",
        [
            ("title", "Install"),
            ("paragraph", "Linux"),
            ("paragraph", "The package manager installs Harbor."),
            ("code", "pkg add harbor"),
            ("paragraph", "Windows"),
            ("paragraph", "The installer copies Harbor to the disk."),
            ("paragraph", "Quiet mode"),
            ("paragraph", "The installer accepts a switch."),
            ("paragraph", "Which port does it use?"),
            ("paragraph", "Harbor listens on port 8080."),
            ("paragraph", "Download"),
            ("paragraph", "Press Ctrl+Alt+Del to stop Harbor."),
            ("paragraph", "Old versions"),
            ("paragraph", "Old versions ignore the switch."),
            ("paragraph", "Transport Layer Security (TLS)"),
        ],
        {"directive": 2},
    ),
    "docs/download.md": Page(
        "# Download\n\nThe mirror serves signed archives.\n{ .annotate }\n",
        [("title", "Download"), ("paragraph", "The mirror serves signed archives.")],
    ),
    "docs/upgrade.md": Page(
        "# Upgrade\n\n"
        '!!! danger\n\n    Harbor migrates the database.\n\n!!! note "Later"\n\nText.\n',
        [
            ("title", "Upgrade"),
            ("paragraph", "Harbor migrates the database."),
            ("paragraph", '!!! note "Later"'),
            ("paragraph", "Text."),
        ],
    ),
}

DOCUSAURUS: Repository = {
    "docs/agent.mdx": Page(
        """---
title: Install the agent
description: The agent sends metrics to the collector.
---

import Tabs from '@theme/Tabs';
import TabItem from '@theme/TabItem';
import Requirements from './_requirements.mdx';
import {
  Chart,
} from '@site/src/components/chart';

export const release = "7.1";

<Requirements />

<Tabs groupId="os">
  <TabItem value="linux" label="Linux" default>

    The service manager starts the agent.

    ```bash
    agent start
    ```

  </TabItem>
  <TabItem value="Windows">The control panel lists the agent.</TabItem>
</Tabs>

{/* TODO: more systems */}

:::caution[Firewalls]
A firewall blocks the agent.
:::

::::info
The collector stores metrics.

:::tip
The collector compresses old metrics.
:::

::::

<Chart data={{ a: 1 }} />

Release {release} needs a <Highlight color="#25c2a0">license key</Highlight>.

## Ports {#ports}

<Card title="Collector" description="The collector opens port 9000." href="/collector" />
""",
        [
            ("paragraph", "The agent sends metrics to the collector."),
            ("paragraph", "The agent needs 100 MB of memory."),
            ("paragraph", "Linux"),
            ("paragraph", "The service manager starts the agent."),
            ("code", "agent start"),
            ("paragraph", "Windows"),
            ("paragraph", "The control panel lists the agent."),
            ("paragraph", "Firewalls"),
            ("paragraph", "A firewall blocks the agent."),
            ("paragraph", "The collector stores metrics."),
            ("paragraph", "The collector compresses old metrics."),
            ("paragraph", "Release 7.1 needs a license key."),
            ("heading", "Ports"),
            ("paragraph", "Collector"),
            ("paragraph", "The collector opens port 9000."),
        ],
        {"directive": 5, "comment": 1},
        "Install the agent",
    ),
    "docs/_requirements.mdx": "The agent needs 100 MB of memory.\n",
    "docs/collector.md": Page(
        """# Collector

The collector rejects unsigned metrics.

Export
all data first. The collector reads `import x from 'y'` in scripts.

## Next steps

* [Agent](agent.mdx#ports) sends data
""",
        [
            ("title", "Collector"),
            ("paragraph", "The collector rejects unsigned metrics."),
            (
                "paragraph",
                "Export all data first. The collector reads import x from 'y' in scripts.",
            ),
            ("heading", "Next steps"),
            ("list_item", "Agent sends data"),
        ],
    ),
}

HUGO: Repository = {
    "content/pods.md": Page(
        """+++
title = "Pods"
description = "A pod groups containers."
weight = 10
+++

A {{< glossary_tooltip text="node" term_id="node" >}} runs pods.

{{% note %}}
The kubelet restarts failed pods.
{{% /note %}}

{{< figure src="/images/pod.svg" caption="The pod shares a network." >}}

{{< tabs name="tab_example" >}}
{{% tab name="Command line" %}}
The command creates a pod.
{{% /tab %}}
{{< /tabs >}}

{{< youtube abc123 >}}

See [Services]({{< ref "services.md" >}}).

{{< highlight go >}}
fmt.Println("{{ .Name }}")
{{< /highlight >}}

## {{% heading "whatsnext" %}}

* Read about [Services]({{< relref "services.md" >}}).
""",
        [
            ("paragraph", "A pod groups containers."),
            ("paragraph", "A node runs pods."),
            ("paragraph", "The kubelet restarts failed pods."),
            ("paragraph", "The pod shares a network."),
            ("paragraph", "Command line"),
            ("paragraph", "The command creates a pod."),
            ("paragraph", "See Services."),
            ("code", 'fmt.Println("{{ .Name }}")'),
            ("heading", "What's next"),
            ("list_item", "Read about Services."),
        ],
        {"directive": 1},
        "Pods",
    ),
    "content/services.md": Page(
        """---
title: Services
---
A service exposes pods.

{{% include "includes/ports.md" %}}

{{< param "edition" >}}

{{/* an author's remark */}}
""",
        [
            ("paragraph", "A service exposes pods."),
            ("paragraph", "The proxy forwards ports."),
        ],
        {"directive": 1, "comment": 1},
        "Services",
    ),
    "content/includes/ports.md": "The proxy forwards ports.\n",
}

JEKYLL: Repository = {
    "guide.md": Page(
        """---
layout: page
title: Field guide
animal: heron
---
# {{ page.title }}
{: .no_toc }

* TOC
{:toc}

{% include nav.html %}

The {{ page.animal }} eats small fish. It visits [the lake]({{ site.baseurl }}/lake.html).
{: .lead}

{% include note.md %}

{% highlight ruby %}
puts "{{ page.title }}"
{% endhighlight %}

{% raw %}The tag {{ page.title }} stays.{% endraw %}

{% comment %}
Nobody reads this.
{% endcomment %}

{% assign birds = site.birds %}

See [the post]({% link lake.md %}){:target="_blank"} for maps.
""",
        [
            ("title", "Field guide"),
            ("paragraph", "The heron eats small fish. It visits the lake."),
            ("paragraph", "Rangers protect the nests."),
            ("code", 'puts "{{ page.title }}"'),
            ("paragraph", "The tag {{ page.title }} stays."),
            ("paragraph", "See the post for maps."),
        ],
        {"directive": 2, "include": 1, "comment": 1},
        "Field guide",
    ),
    "lake.md": Page(
        "---\ntitle: The lake\n---\nThe lake feeds two rivers.\n",
        [("paragraph", "The lake feeds two rivers.")],
        title="The lake",
    ),
    "_includes/note.md": "Rangers protect the nests.\n",
}

GITBOOK: Repository = {
    "billing.md": Page(
        """---
description: Customers pay invoices in the portal.
icon: credit-card
---

# Billing

{% hint style="info" %}
The portal sends a reminder.
{% endhint %}

{% tabs %}
{% tab title="Card" %}
The bank confirms the payment.
{% endtab %}

{% tab title="Transfer" %}
The clerk books the transfer.
{% endtab %}
{% endtabs %}

{% content-ref url="refunds.md" %}
[refunds.md](refunds.md)
{% endcontent-ref %}

{% embed url="https://example.com/demo" %}

{% include ".gitbook/includes/contact.md" %}

{% code title="invoice.json" %}
```json
{"id": "{{id}}"}
```
{% endcode %}
""",
        [
            ("title", "Billing"),
            ("paragraph", "Customers pay invoices in the portal."),
            ("paragraph", "The portal sends a reminder."),
            ("paragraph", "Card"),
            ("paragraph", "The bank confirms the payment."),
            ("paragraph", "Transfer"),
            ("paragraph", "The clerk books the transfer."),
            ("paragraph", "refunds.md"),
            ("paragraph", "The hotline answers calls."),
            ("paragraph", "invoice.json"),
            ("code", '{"id": "{{id}}"}'),
        ],
        {"directive": 1},
        "Billing",
    ),
    "refunds.md": Page(
        '# Refunds <a href="#refunds" id="refunds"></a>\n\nThe clerk approves refunds.\n',
        [("title", "Refunds"), ("paragraph", "The clerk approves refunds.")],
    ),
    ".gitbook/includes/contact.md": "---\ntitle: Contact\n---\nThe hotline answers calls.\n",
}

FRONT_MATTER: Repository = {
    "json.md": Page(
        '{\n  "title": "Ovens",\n  "description": "An oven bakes bread."\n}\n\n'
        "The oven heats up.\n",
        [("paragraph", "An oven bakes bread."), ("paragraph", "The oven heats up.")],
        title="Ovens",
    ),
    "folded.md": Page(
        "---\ntitle: 'Mixers: all sizes'\ndescription: >\n  A mixer kneads\n  the dough.\n"
        "tags: [a, b]\n---\n\n# Mixers\n\nThe motor turns the hook.\n",
        [
            ("title", "Mixers"),
            ("paragraph", "A mixer kneads the dough."),
            ("paragraph", "The motor turns the hook."),
        ],
        title="Mixers: all sizes",
    ),
    "repeated.md": Page(
        "---\ntitle: Scales\ndescription: A scale weighs flour\n...\n"
        "A scale weighs flour. Bakers trust it.\n",
        [("paragraph", "A scale weighs flour. Bakers trust it.")],
        title="Scales",
    ),
    "broken.md": Page(
        "---\ntitle: Sieves: fine\ndescription: [\n---\nA sieve removes lumps.\n",
        [("paragraph", "["), ("paragraph", "A sieve removes lumps.")],
        title="Sieves: fine",
    ),
    "semicolons.md": Page(
        ';;;\n{"title": "Trays"}\n;;;\nA tray carries rolls.\n',
        [("paragraph", "A tray carries rolls.")],
        title="Trays",
    ),
    "rules.md": Page(
        "---\n\nText between two lines stays.\n\n---\n\nSo does the rest.\n",
        [("paragraph", "Text between two lines stays."), ("paragraph", "So does the rest.")],
    ),
    "rule.md": Page(
        "---\n\nA line is no front matter.\n",
        [("paragraph", "A line is no front matter.")],
    ),
}

LOOKALIKES: Repository = {
    "templates.md": Page(
        """# Templates

Write `{{ value }}` where the value goes, and `{% if %}` before a condition.

```jinja
{% for row in rows %}{{ row }}{% endfor %}
!!! note
    text
```

    {{< shortcode >}}
    ::: indented

An engine replaces {{ name }} with a word. The set {a, b} and the type List<String> are plain.

::: is no fence, and ::: box has no partner.

Stop!!! Then go. C++ and D++ differ: a == b == c. Write to @maria about ==.

import statements load modules. The operator ??? compares nothing.
""",
        [
            ("title", "Templates"),
            (
                "paragraph",
                "Write {{ value }} where the value goes, and {% if %} before a condition.",
            ),
            ("code", "{% for row in rows %}{{ row }}{% endfor %}\n!!! note\n    text"),
            ("code", "{{< shortcode >}}\n::: indented"),
            (
                "paragraph",
                "An engine replaces {{ name }} with a word. "
                "The set {a, b} and the type List are plain.",
            ),
            ("paragraph", "::: is no fence, and ::: box has no partner."),
            (
                "paragraph",
                "Stop!!! Then go. C++ and D++ differ: a == b == c. Write to @maria about ==.",
            ),
            (
                "paragraph",
                "import statements load modules. The operator ??? compares nothing.",
            ),
        ],
    ),
    "code.md": Page(
        """# Code

1. Call the helper:

   ```js
   import x from 'y'
   <Tabs />
   ```

2. Read `:::note` and ``{: .class}``.

<pre>
[!INCLUDE [a](b.md)]
</pre>

The helper returns <code>{{ id }}</code>.
""",
        [
            ("title", "Code"),
            ("list_item", "Call the helper:"),
            ("code", "import x from 'y'\n<Tabs />"),
            ("list_item", "Read :::note and {: .class}."),
            ("code", "[!INCLUDE [a](b.md)]"),
            ("paragraph", "The helper returns {{ id }}."),
        ],
    ),
    "prose.md": Page(
        "# Prose\n\nThe engine reads the file. What now??? Nothing.\n",
        [("title", "Prose"), ("paragraph", "The engine reads the file. What now??? Nothing.")],
    ),
}

REPOSITORIES: dict[str, Repository] = {
    "docfx": DOCFX,
    "github": GITHUB,
    "mkdocs": MKDOCS,
    "material": MATERIAL,
    "docusaurus": DOCUSAURUS,
    "hugo": HUGO,
    "jekyll": JEKYLL,
    "gitbook": GITBOOK,
    "front-matter": FRONT_MATTER,
    "lookalikes": LOOKALIKES,
}
