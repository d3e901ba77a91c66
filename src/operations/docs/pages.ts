import type { OpenAPIObject } from '@nestjs/swagger';
import { describeErrors } from './error-schemas.js';
import type { EndpointHandler } from './handlers.js';
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
  description: 'A page for a browser. The application sends the user to it with a request token.',
  tags: ['Authentication'],
  parameters: [
    query('oauth_token', 'The request token.', 'string', true),
    query('force_login', 'Whether the user must sign in again.', 'boolean'),
    query('screen_name', 'The username for the sign-in form.'),
  ],
  responses: {
    200: html('A page that asks the user to sign in or to approve the application'),
    ...others,
    403: html('A page that says that the request token is not valid, or not for this endpoint'),
    429: html('A page that says when to try again'),
  },
  security: [],
});

/** The pages to which an application sends its users. They return HTML, so no decorator describes them. */
const PAGES: Record<string, Operation> = {
  'GET /oauth/authorize': page('authorize', 'Asks the user whether the application may act for them'),
  'GET /oauth/authenticate': page(
    'authenticate',
    'Signs the user in to the application, and asks for approval only if necessary',
    {
      302: {
        description: 'Redirects to the callback if the user has already approved the application',
        headers: { location: { description: 'The callback', schema: { type: 'string', format: 'uri' } } },
      },
    },
  ),
};

/** Adds the pages to the document. */
export function describePages(document: OpenAPIObject, handlers: EndpointHandler[]): void {
  const components = (document.components ??= {});
  const routes = new Set(handlers.flatMap((handler) => handler.routes));
  for (const [route, operation] of Object.entries(PAGES)) {
    if (!routes.has(route)) throw new Error(`there is no ${route} to describe`);
    const path = route.split(' ')[1];
    describeErrors(path, operation, components);
    document.paths[path] = { get: operation };
  }
}
