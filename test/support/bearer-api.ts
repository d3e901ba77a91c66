import type { Json } from './http.js';
import { send, type Answer } from './http.js';
import { world } from './app.js';

/** Calls the service as an application, with its bearer token. */
export class BearerApi {
  constructor(readonly token: string) {}

  get = (path: string, query?: Record<string, string>) => this.call('GET', path, { query });
  post = (path: string, json?: Json) => this.call('POST', path, { json });
  put = (path: string) => this.call('PUT', path);
  delete = (path: string, query?: Record<string, string>) => this.call('DELETE', path, { query });

  call(
    method: string,
    path: string,
    { query = {}, json }: { query?: Record<string, string>; json?: Json } = {},
  ): Promise<Answer> {
    const text = new URLSearchParams(query).toString();
    const body = json === undefined ? undefined : JSON.stringify(json);
    return send(world().url, text ? `${path}?${text}` : path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
  }
}
