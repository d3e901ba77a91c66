import { BearersService } from '../../src/auth/bearers/bearers.service.js';
import { world } from './app.js';
import { send, type Answer, type Json } from './http.js';

/** Calls the service as an application, with its bearer token. */
export class BearerApi {
  constructor(readonly token: string) {}

  /** As this application, with a token that is made for it. */
  static async of({ id }: { id: string }): Promise<BearerApi> {
    return new BearerApi(await world().get(BearersService).issue(id));
  }

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
