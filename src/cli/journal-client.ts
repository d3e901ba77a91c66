import type { NamedCredentials } from './credentials/credentials.js';
import { askWorkbench } from './workbench-request.js';

/** Requests on a page; a read of the journal has at most as many pages. */
const PAGE = 1_000;
export const MAX_PAGES = 10;

/** A request as the journal lists it. */
export interface Listed {
  id: string;
  created_at: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  request_id: string;
}

/** Options that select requests of the journal. */
export interface Filters {
  filterPath?: string;
  filterMethod?: string;
  filterStatus?: string;
  filterAccount?: string;
}

interface Requests {
  data: Listed[];
  meta: { next_token?: string };
}

/** The parameters of the workbench for these options. */
export function filtersOf({ filterPath, filterMethod, filterStatus, filterAccount }: Filters): Record<string, string> {
  return {
    ...(filterPath !== undefined && { path: filterPath }),
    ...(filterMethod !== undefined && { method: filterMethod.toUpperCase() }),
    ...(filterStatus !== undefined && { status: filterStatus }),
    ...(filterAccount !== undefined && { account_id: filterAccount }),
  };
}

/** The newest requests that match, newest first. */
export async function newest(
  named: NamedCredentials,
  query: Record<string, string>,
  { pages }: { pages: number },
): Promise<Listed[]> {
  const all: Listed[] = [];
  let token: string | undefined;
  for (let read = 0; read < pages; read++) {
    const page = { max_results: `${PAGE}`, ...(token && { pagination_token: token }) };
    const { data, meta } = (await askWorkbench(named, 'requests', { params: { ...query, ...page } })) as Requests;
    all.push(...data);
    token = meta.next_token;
    if (token === undefined) break;
  }
  return all;
}

/** Everything that the journal knows of a request. */
export async function detailOf(named: NamedCredentials, id: string): Promise<object> {
  const { data } = (await askWorkbench(named, `requests/${encodeURIComponent(id)}`)) as { data: object };
  return data;
}
