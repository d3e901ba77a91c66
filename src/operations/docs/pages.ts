import type { OpenAPIObject } from '@nestjs/swagger';
import { describeErrors } from './error-schemas.js';
import type { Handler } from './handlers.js';
import type { Operation } from './operation.js';

const html = (description: string) => ({
  description,
  content: { 'text/html': { schema: { type: 'string' } as const, example: '<!doctype html>…' } },
});

const query = (name: string, description: string, type: 'string' | 'boolean' = 'string', required = false) => ({
  name,
  in: 'query' as const,
  required,
  description,
  schema: { type, ...(required && { example: 'a-request-token' }) },
});

const page = (operationId: string, summary: string, others: Operation['responses'] = {}): Operation => ({
  operationId,
  summary,
  description: 'For a browser, not for a program: the user is sent here with a request token.',
  tags: ['Authentication'],
  parameters: [
    query('oauth_token', 'The request token.', 'string', true),
    query('force_login', 'Have the user sign in, whoever is signed in.', 'boolean'),
    query('screen_name', 'Fills in the name to sign in with.'),
  ],
  responses: {
    200: html('A page that asks the user to sign in, or to approve'),
    ...others,
    403: html('A page that says that the request token is not valid, or not in this way'),
    429: html('A page that says when to try again'),
  },
  security: [],
});

/** The pages to which an application sends its users. They return HTML, so no decorator describes them. */
const PAGES: Record<string, Operation> = {
  'GET /oauth/authorize': page('authorize', 'Asks the user whether the application may act for them'),
  'GET /oauth/authenticate': page(
    'authenticate',
    'Signs the user in with the application, asking only where it has to',
    {
      302: {
        description: 'Leads back to the callback, where the user approved the application before',
        headers: { location: { description: 'The callback', schema: { type: 'string', format: 'uri' } } },
      },
    },
  ),
};

/** Adds the pages to the document. */
export function describePages(document: OpenAPIObject, handlers: Handler[]): void {
  const components = (document.components ??= {});
  const routes = new Set(handlers.flatMap((handler) => handler.routes));
  for (const [route, operation] of Object.entries(PAGES)) {
    if (!routes.has(route)) throw new Error(`there is no ${route} to describe`);
    const path = route.split(' ')[1];
    describeErrors(path, operation, components);
    document.paths[path] = { get: operation };
  }
}
