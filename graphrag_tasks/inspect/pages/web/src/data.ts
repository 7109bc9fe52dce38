// What the page shows: tables as columns. A server tells them, or the page holds them itself.

import { queryOf, type View } from "./address";

export const NO_TYPE = "-";

export interface Shown {
  readonly steps: { name: string[]; shown: number[]; of: number[] };
  readonly entities: {
    id: string[];
    name: string[];
    type: string[];
    mentions: number[];
    relations: number[];
    step: number[];
    opened: number[];
  };
  /** Head and tail are places in the columns of entities. */
  readonly relations: Relations & { head: number[]; tail: number[] };
  readonly omitted: number;
  readonly documents: { id: string[]; title: string[] };
}

interface Relations {
  id: string[];
  phrase: string[];
  kind: string[];
  stated: number[];
  confidence: number[];
}

export interface Stated {
  readonly relations: Relations & { head: string[]; tail: string[] };
  readonly sentences: {
    relation: number[];
    texts: string[][];
    marks: string[][];
    title: string[];
    page: (number | null)[];
    document: string[];
    chunk: string[];
    id: string[];
  };
}

export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly mentions: number;
  readonly aliases: string[];
  /** With the first passage of each that names the entity. */
  readonly documents: { id: string[]; title: string[]; chunk: string[] };
  readonly of_documents: number;
}

export interface Names {
  readonly name: string[];
  readonly type: (string | null)[];
  readonly mentions: number[];
}

/** Why there are no data, in words for people. */
export class Refused extends Error {}

/** Where data come from. Addresses are null where there are no other pages. */
export interface Source {
  shown(view: View): Promise<Shown>;
  entity(id: string): Promise<Entity>;
  stated(ids: readonly string[]): Promise<Stated>;
  names(text: string): Promise<Names>;
  entityPage(name: string): string | null;
  passage(document: string, chunk: string, place?: string): string | null;
  file(view: View): string | null;
}

export class Server implements Source {
  constructor(private readonly at: string) {}

  shown(view: View): Promise<Shown> {
    return this.ask(`graph/shown.json?${queryOf(view)}`);
  }

  entity(id: string): Promise<Entity> {
    return this.ask(`graph/entity.json?${new URLSearchParams({ id })}`);
  }

  stated(ids: readonly string[]): Promise<Stated> {
    return this.ask(`graph/relations.json?${new URLSearchParams(ids.map((id) => ["id", id]))}`);
  }

  names(text: string): Promise<Names> {
    return this.ask(`graph/names.json?${new URLSearchParams({ text })}`);
  }

  entityPage(name: string): string {
    return `${this.at}/entities?${new URLSearchParams({ name })}`;
  }

  passage(document: string, chunk: string, place = chunk): string {
    return `${this.at}/documents/${document}?${new URLSearchParams({ chunk })}#${place}`;
  }

  file(view: View): string {
    return `${this.at}/graph/shown.graphml?${queryOf(view)}`;
  }

  private async ask<Answer>(what: string): Promise<Answer> {
    let answer: Response;
    try {
      answer = await fetch(`${this.at}/${what}`, { headers: { Accept: "application/json" } });
    } catch {
      throw new Refused("The server cannot be reached.");
    }
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    const data = isJson ? await answer.json() : {};
    if (!answer.ok || !isJson) {
      throw new Refused(data.error ?? `The server answered ${answer.status}. Load the page again.`);
    }
    return data as Answer;
  }
}
