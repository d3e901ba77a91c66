import createClient from 'openapi-fetch';
import { formOf } from './forms.js';
import { JSON_OBJECTS } from './operations.js';

/** Calls an operation, without the types of the document. */
export type Call = (path: string, init?: object) => Promise<{ data: unknown; response: Response }>;

export interface Calls {
  GET: Call;
  POST: Call;
  PUT: Call;
  DELETE: Call;
}

export interface Bases {
  baseUrl: string;
  adsBaseUrl: string;
  headers?: Record<string, string>;
}

type Method = 'get' | 'post' | 'put' | 'delete';
type RequestOf = (method: Method, path: string, init: object) => ReturnType<Call>;

/** Builds requests by openapi-fetch and sends them by `send`. */
export function callsOf({ baseUrl, adsBaseUrl, headers }: Bases, send: (request: Request) => Promise<Response>): Calls {
  const common = { fetch: send, querySerializer: formOf };
  const { request: json } = createClient({ ...common, headers }) as unknown as { request: RequestOf };
  const { request: form } = createClient({
    ...common,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    bodySerializer: (body: unknown) => formOf(body as object),
  }) as unknown as { request: RequestOf };
  const call =
    (method: Method): Call =>
    (path, init = {}) => {
      const { body } = init as { body?: unknown };
      const request = isForm(`${method.toUpperCase()} ${path}`, body) ? form : json;
      return request(method, path, { ...init, baseUrl: isAds(path) ? adsBaseUrl : baseUrl });
    };
  return { GET: call('get'), POST: call('post'), PUT: call('put'), DELETE: call('delete') };
}

const isAds = (path: string): boolean => /^\/\d+\//.test(path) && !path.startsWith('/2/');

const isForm = (operation: string, body: unknown): boolean =>
  body !== undefined && !Array.isArray(body) && !(body instanceof FormData) && !JSON_OBJECTS.has(operation);
