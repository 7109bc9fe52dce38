// Beside the picture: what is known of the chosen entity, or of the relations of a chosen line.

import { NO_TYPE, type Entity, type Source, type Stated } from "./data";
import { button, counted, element, link } from "./elements";

export interface EntityActions {
  readonly opened: boolean;
  readonly first: boolean;
  /** Whether all that there is to show is shown. */
  readonly whole: boolean;
  open(): void;
  fold(): void;
  startHere(): void;
}

export interface Line {
  readonly words: string;
  choose(): void;
}

const LINES = 30;

export function entityPanel(
  panel: HTMLElement,
  source: Source,
  entity: Entity,
  lines: readonly Line[],
  act: EntityActions,
): void {
  const type = entity.type === NO_TYPE ? "no type" : entity.type;
  const actions = element("p", { css: "meta" });
  if (!act.opened) actions.append(button("Add neighbours", act.open));
  else if (!act.first) actions.append(button("Fold", act.fold));
  if (!act.first || act.whole) actions.append(button("Start here", act.startHere));
  const page = source.entityPage(entity.name);
  if (page !== null) actions.append(link("Its page", page));
  const about = `${type}, ${counted(entity.mentions, "mention")} in ${counted(entity.of_documents, "document")}`;
  const parts: Node[] = [
    element("h2", { text: entity.name }),
    element("p", { css: "soft", text: about }),
    actions,
  ];
  if (entity.aliases.length) {
    parts.push(element("p", { css: "soft", text: `Also: ${entity.aliases.join(", ")}` }));
  }
  const { id, title, chunk } = entity.documents;
  if (id.length) {
    const more = entity.of_documents - id.length;
    const last = more > 0 ? [element("li", { css: "soft", text: `and ${more.toLocaleString("en")} more` })] : [];
    const items = id.map((document, place) => {
      const passage = source.passage(document, chunk[place] ?? "");
      return element("li", {}, link(title[place] ?? "", passage));
    });
    parts.push(element("h3", { text: "Documents" }), element("ul", {}, ...items, ...last));
  }
  if (lines.length) {
    const items = lines.slice(0, LINES).map((line) => {
      const made = button(line.words, line.choose);
      made.className = "plain";
      return element("li", {}, made);
    });
    const left = lines.length - items.length;
    if (left > 0) items.push(element("li", { css: "soft", text: `and ${left.toLocaleString("en")} more` }));
    parts.push(element("h3", { text: "Shown relations" }), element("ul", { css: "lines" }, ...items));
  }
  panel.replaceChildren(...parts);
}

export function relationPanel(panel: HTMLElement, source: Source, stated: Stated, left: number): void {
  const { relations, sentences } = stated;
  const parts: Node[] = [];
  relations.id.forEach((_, place) => {
    const heading = element("h2");
    heading.append(
      element("span", { css: "head", text: relations.head[place] ?? "" }),
      ` ${relations.phrase[place] ?? ""} `,
      element("span", { css: "tail", text: relations.tail[place] ?? "" }),
    );
    const about =
      `${relations.kind[place]}, stated ${relations.stated[place]} ×, ` +
      `confidence ${(relations.confidence[place] ?? 0).toFixed(2)}`;
    parts.push(heading, element("p", { css: "soft", text: about }));
    sentences.relation.forEach((of, row) => {
      if (of === place) parts.push(quotation(source, stated, row));
    });
  });
  if (left > 0) parts.push(element("p", { css: "soft", text: `and ${left} more relations` }));
  panel.replaceChildren(...parts);
}

function quotation(source: Source, stated: Stated, row: number): HTMLElement {
  const { texts, marks, title, page, document, chunk, id } = stated.sentences;
  const quoted = element("blockquote");
  (texts[row] ?? []).forEach((text, place) => {
    const mark = marks[row]?.[place];
    quoted.append(mark ? element("mark", { css: mark, text }) : text);
  });
  const where = page[row] ? `, page ${page[row]}` : "";
  const passage = source.passage(document[row] ?? "", chunk[row] ?? "", id[row] ?? "");
  quoted.append(element("br"), "– ", link(`${title[row] ?? ""}${where}`, passage));
  return quoted;
}
