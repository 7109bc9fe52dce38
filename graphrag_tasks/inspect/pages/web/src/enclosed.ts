// A graph that the page holds itself, as JSON: a file that needs no server.

import type { View } from "./address";
import { NO_TYPE, Refused, type Entity, type Names, type Shown, type Source, type Stated } from "./data";

/** As the server has them: entities of one picture, documents to choose from, names to propose. */
const MOST_ENTITIES = 400;
const MOST_DOCUMENTS = 50;
const MOST_NAMES = 20;

/** What `graph_file.py` writes. Ends of relations, and documents, are places in the columns. */
interface Held {
  entities: {
    id: string[];
    name: string[];
    type: string[];
    mentions: number[];
    aliases: string[][];
    documents: number[][];
    of_documents: number[];
  };
  relations: {
    id: string[];
    head: number[];
    tail: number[];
    phrase: string[];
    kind: string[];
    stated: number[];
    confidence: number[];
    weight: number[];
    documents: number[][];
  };
  sentences: Stated["sentences"];
  documents: { id: string[]; title: string[]; uri: string[] };
}

export class Enclosed implements Source {
  private readonly held: Held;
  /** How many relations each entity has. */
  private readonly degrees: number[];

  constructor(text: string) {
    this.held = JSON.parse(text) as Held;
    const { head, tail } = this.held.relations;
    this.degrees = this.held.entities.id.map(() => 0);
    for (const end of [...head, ...tail]) this.degrees[end] = (this.degrees[end] ?? 0) + 1;
  }

  async shown(view: View): Promise<Shown> {
    const { entities, relations, documents } = this.held;
    const opened = new Set(view.names.map((name) => this.placeOf(name)));
    const possible = this.allowed(view, opened);
    const document = documents.id.indexOf(view.document);
    const allowed = view.document
      ? possible.filter((place) => relations.documents[place]?.includes(document))
      : possible;
    const { steps, placed } = view.names.length
      ? this.around(view, [...opened], allowed)
      : this.everything(view, allowed);
    const shown = [...placed.keys()];
    const at = new Map(shown.map((place, number) => [place, number]));
    const inside = allowed.filter((place) => at.has(this.head(place)) && at.has(this.tail(place)));
    const take = <Value>(column: readonly Value[], places: readonly number[]): Value[] =>
      places.map((place) => column[place] as Value);
    return {
      steps,
      entities: {
        id: take(entities.id, shown),
        name: take(entities.name, shown),
        type: take(entities.type, shown),
        mentions: take(entities.mentions, shown),
        relations: take(this.degrees, shown),
        step: [...placed.values()],
        opened: shown.map((place) => (opened.size === 0 || opened.has(place) ? 1 : 0)),
      },
      relations: {
        id: take(relations.id, inside),
        head: inside.map((place) => at.get(this.head(place)) ?? 0),
        tail: inside.map((place) => at.get(this.tail(place)) ?? 0),
        phrase: take(relations.phrase, inside),
        kind: take(relations.kind, inside),
        stated: take(relations.stated, inside),
        confidence: take(relations.confidence, inside),
      },
      omitted: 0,
      documents: this.stating(possible),
    };
  }

  async entity(id: string): Promise<Entity> {
    const { entities, documents } = this.held;
    const place = entities.id.indexOf(id);
    const named = entities.documents[place] ?? [];
    return {
      id,
      name: entities.name[place] ?? "",
      type: entities.type[place] ?? NO_TYPE,
      mentions: entities.mentions[place] ?? 0,
      aliases: entities.aliases[place] ?? [],
      documents: {
        id: named.map((one) => documents.id[one] ?? ""),
        title: named.map((one) => this.titleOf(documents.id[one] ?? "")),
        chunk: named.map(() => ""),
      },
      of_documents: entities.of_documents[place] ?? 0,
    };
  }

  async stated(ids: readonly string[]): Promise<Stated> {
    const { entities, relations, sentences } = this.held;
    const places = ids.map((id) => relations.id.indexOf(id));
    const rows = places.flatMap((place, number) =>
      sentences.relation.flatMap((of, row) => (of === place ? [{ row, number }] : [])),
    );
    const take = <Value>(column: readonly Value[]): Value[] => places.map((place) => column[place] as Value);
    const quote = <Value>(column: readonly Value[]): Value[] => rows.map(({ row }) => column[row] as Value);
    return {
      relations: {
        id: [...ids],
        head: take(relations.head).map((end) => entities.name[end] ?? ""),
        tail: take(relations.tail).map((end) => entities.name[end] ?? ""),
        phrase: take(relations.phrase),
        kind: take(relations.kind),
        stated: take(relations.stated),
        confidence: take(relations.confidence),
      },
      sentences: {
        relation: rows.map(({ number }) => number),
        texts: quote(sentences.texts),
        marks: quote(sentences.marks),
        title: quote(sentences.document).map((document) => this.titleOf(document)),
        page: quote(sentences.page),
        document: quote(sentences.document),
        chunk: quote(sentences.chunk),
        id: quote(sentences.id),
      },
    };
  }

  async names(text: string): Promise<Names> {
    const { name, type, mentions, aliases } = this.held.entities;
    const wanted = folded(text);
    const isLike = (place: number): boolean =>
      [name[place] ?? "", ...(aliases[place] ?? [])].some((one) => folded(one).includes(wanted));
    const found = [...name.keys()].filter(isLike);
    found.sort((a, b) => (mentions[b] ?? 0) - (mentions[a] ?? 0) || a - b);
    const first = found.slice(0, MOST_NAMES);
    return {
      name: first.map((place) => name[place] ?? ""),
      type: first.map((place) => type[place] ?? null),
      mentions: first.map((place) => mentions[place] ?? 0),
    };
  }

  entityPage(): null {
    return null;
  }

  passage(): null {
    return null;
  }

  file(): null {
    return null;
  }

  private head(relation: number): number {
    return this.held.relations.head[relation] ?? -1;
  }

  private tail(relation: number): number {
    return this.held.relations.tail[relation] ?? -1;
  }

  private titleOf(document: string): string {
    const { id, title, uri } = this.held.documents;
    const place = id.indexOf(document);
    return `${title[place] ?? ""} (${uri[place] ?? ""})`;
  }

  /** Return the place of the entity with a name in any case, or the first that is also called so. */
  private placeOf(name: string): number {
    const { entities } = this.held;
    const wanted = folded(name);
    const place = entities.name.findIndex((one) => folded(one) === wanted);
    if (place >= 0) return place;
    const alias = entities.aliases.findIndex((names) => names.some((one) => folded(one) === wanted));
    if (alias < 0) throw new Refused(`There is no entity '${name}' in this file.`);
    return alias;
  }

  /** Return the relations that may be shown, whatever document states them. */
  private allowed(view: View, opened: ReadonlySet<number>): number[] {
    const { kind, confidence } = this.held.relations;
    return [...kind.keys()].filter(
      (place) =>
        view.kinds.includes(kind[place] ?? "") &&
        (confidence[place] ?? 0) >= view.least &&
        [this.head(place), this.tail(place)].every((end) => opened.has(end) || !this.isHidden(view, end)),
    );
  }

  private isHidden(view: View, entity: number): boolean {
    return view.hidden.includes(this.held.entities.type[entity] ?? NO_TYPE);
  }

  /** Return the entities of the file, those with most relations where there are too many. */
  private everything(view: View, allowed: readonly number[]): Placed {
    const ends = new Set(allowed.flatMap((place) => [this.head(place), this.tail(place)]));
    const isNarrowed = view.document !== "" || view.least > 0;
    const possible = this.degrees.flatMap((_, place) =>
      this.isHidden(view, place) || (isNarrowed && !ends.has(place)) ? [] : [place],
    );
    const byDegree = possible.sort((a, b) => (this.degrees[b] ?? 0) - (this.degrees[a] ?? 0) || a - b);
    const kept = byDegree.slice(0, MOST_ENTITIES);
    const steps = { name: [""], shown: [kept.length], of: [possible.length] };
    return { steps, placed: new Map(kept.map((place) => [place, 0])) };
  }

  /** Return named entities and their neighbours, those with the strongest ties first. */
  private around(view: View, named: readonly number[], allowed: readonly number[]): Placed {
    const placed = new Map<number, number>();
    const steps: Shown["steps"] = { name: [], shown: [], of: [] };
    named.forEach((start, step) => {
      const ties = new Map<number, number>();
      for (const place of allowed) {
        const [head, tail] = [this.head(place), this.tail(place)];
        const other = head === start ? tail : tail === start ? head : start;
        if (other !== start) ties.set(other, (ties.get(other) ?? 0) + (this.held.relations.weight[place] ?? 0));
      }
      const near = [...ties].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([place]) => place);
      const wanted = [start, ...near.filter((place) => !placed.has(place)).slice(0, view.most)];
      for (const place of wanted) {
        if (!placed.has(place) && placed.size < MOST_ENTITIES) placed.set(place, step);
      }
      steps.name.push(this.held.entities.name[start] ?? "");
      steps.shown.push(near.filter((place) => placed.has(place)).length);
      steps.of.push(near.length);
    });
    return { steps, placed };
  }

  /** Return the documents that state most of some relations. */
  private stating(relations: readonly number[]): Shown["documents"] {
    const counts = new Map<number, number>();
    for (const place of relations) {
      for (const one of this.held.relations.documents[place] ?? []) counts.set(one, (counts.get(one) ?? 0) + 1);
    }
    const most = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MOST_DOCUMENTS);
    const { id, title } = this.held.documents;
    return { id: most.map(([one]) => id[one] ?? ""), title: most.map(([one]) => title[one] ?? "") };
  }
}

interface Placed {
  readonly steps: Shown["steps"];
  /** Entities by place, each with the step that brings it in. */
  readonly placed: ReadonlyMap<number, number>;
}

function folded(name: string): string {
  return name.toLowerCase().split(/\s+/).join(" ").trim();
}
