import type { Command } from 'commander';
import type { JournaledRequestView } from '../../workbench/journal/journaled-request.presenter.js';
import type { NamedCredentials } from '../credentials/credentials.js';
import { callOperation, descriptionOf, parametersOf, requestOperation } from './operations.js';

/** Requests on a page; a read of the journal has at most as many pages. */
const PAGE = 1_000;
export const MAX_PAGES = 10;

const FILTERS = {
  '--filter-path <path>': 'path',
  '--filter-method <methods>': 'method',
  '--filter-status <statuses>': 'status',
  '--filter-account <account>': 'account_id',
  '--since <time>': 'start_time',
};
type Filter = keyof typeof FILTERS;

/** Adds options that select requests of the journal. */
export const withFilters = (command: Command, filters: readonly Filter[]): Command =>
  filters.reduce((each, flags) => each.option(flags, descriptionOf('listRequests', FILTERS[flags])), command);

/** The parameters of the workbench for these options. */
export function filtersOf(options: object): Record<string, string> {
  const { method, ...filters } = parametersOf(options, FILTERS);
  return method === undefined ? filters : { ...filters, method: method.toUpperCase() };
}

/** The newest requests that match, newest first. */
export async function newest(
  named: NamedCredentials,
  query: Record<string, string>,
  { pages }: { pages: number },
): Promise<JournaledRequestView[]> {
  const all: JournaledRequestView[] = [];
  let token: string | undefined;
  for (let read = 0; read < pages; read++) {
    const params = { ...query, max_results: `${PAGE}`, ...(token && { pagination_token: token }) };
    const answer = await requestOperation('listRequests', named, params);
    const { data, meta } = answer as { data: JournaledRequestView[]; meta: { next_token?: string } };
    all.push(...data);
    token = meta.next_token;
    if (token === undefined) break;
  }
  return all;
}

/** Everything that the journal knows of a request. */
export const detailOf = (named: NamedCredentials, id: string): Promise<object> =>
  callOperation('getRequest', named, { request_id: id });
