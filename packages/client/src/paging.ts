import type { Call } from './calls.js';

interface Page {
  next_cursor: string | null;
  data: unknown[];
}

interface Query {
  params?: { query?: Record<string, unknown> };
}

/** The pages of a list, one request each. */
export async function* pages(get: Call, path: string, init?: Query): AsyncGenerator<Page, void> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { data } = await get(path, cursor === undefined ? init : after(cursor, init));
    const page = data as Page;
    yield page;
    cursor = page.next_cursor;
  }
}

/** The items of a list. */
export async function* iterate(get: Call, path: string, init?: Query): AsyncGenerator<unknown, void> {
  for await (const { data } of pages(get, path, init)) yield* data;
}

/** The service counts the items for the first page only. */
function after(cursor: string, init?: Query): Query {
  const { with_total_count: _counted, ...query } = init?.params?.query ?? {};
  return { ...init, params: { ...init?.params, query: { ...query, cursor } } };
}
