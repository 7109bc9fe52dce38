// What is to be drawn, as the address of the page says it.

export interface View {
  /** Entities whose neighbours are shown, in the order in which they were asked for. */
  readonly names: readonly string[];
  readonly kinds: readonly string[];
  /** Types of entities that are left out. */
  readonly hidden: readonly string[];
  readonly least: number;
  /** Id of the only document that may state a relation; empty for all. */
  readonly document: string;
  /** Most neighbours of each entity; without names, most entities. */
  readonly most: number;
  /** Id of the only community shown without names; empty for all. */
  readonly community: string;
}

const FACTS: readonly string[] = ["fact"];
const FEWEST = 60;

export function readView(query: string): View {
  const given = new URLSearchParams(query);
  const kinds = given.getAll("kind");
  return {
    names: [...new Set(given.getAll("name").filter((name) => name.trim()))],
    kinds: kinds.length ? kinds : FACTS,
    hidden: given.getAll("hide"),
    least: Number(given.get("least") ?? 0),
    document: given.get("document") ?? "",
    most: Number(given.get("most") ?? FEWEST),
    community: given.get("community") ?? "",
  };
}

/** Return the query that asks for a view; what is usual is left out. */
export function queryOf(view: View): string {
  const said = new URLSearchParams();
  for (const name of view.names) said.append("name", name);
  if (view.kinds.join() !== FACTS.join()) for (const kind of view.kinds) said.append("kind", kind);
  for (const type of view.hidden) said.append("hide", type);
  if (view.least) said.set("least", String(view.least));
  if (view.document) said.set("document", view.document);
  if (view.most !== FEWEST) said.set("most", String(view.most));
  if (view.community && !view.names.length) said.set("community", view.community);
  return said.toString();
}

/** Where the address of the page has its view. */
export interface Address {
  view(): View;
  of(view: View): string;
}

/** In the query, which a server is asked for. */
export class Query implements Address {
  view(): View {
    return readView(location.search);
  }

  of(view: View): string {
    const query = queryOf(view);
    return query ? `?${query}` : location.pathname;
  }
}

/** In the fragment, which alone may change in the address of a file; without one, as at the start. */
export class Fragment implements Address {
  constructor(private readonly start: string) {}

  view(): View {
    return readView(location.hash.slice(1) || this.start);
  }

  of(view: View): string {
    // whole, as in a frame of a notebook the fragment alone is one of the notebook's address
    return `${location.href.split("#")[0]}#${queryOf(view) || queryOfKinds(FACTS)}`;
  }
}

function queryOfKinds(kinds: readonly string[]): string {
  return new URLSearchParams(kinds.map((kind) => ["kind", kind])).toString();
}
