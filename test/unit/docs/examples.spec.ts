import type { OpenAPIObject } from '@nestjs/swagger';
import { withDemoIds, withExamples, type RecordedCall } from '../../../src/operations/docs/examples.js';

const name = { type: 'string', 'x-unique': true };
const batch = {
  type: 'array',
  items: { oneOf: [{ type: 'object', properties: { params: { $ref: '#/components/schemas/CreateThing' } } }] },
};
const documentOf = (schema: object, type: string) =>
  ({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': { post: { operationId: 'make', requestBody: { content: { [type]: { schema } } }, responses: {} } },
    },
    components: { schemas: { CreateThing: { type: 'object', properties: { name, note: { type: 'string' } } } } },
  }) as unknown as OpenAPIObject;

/** What the example of the document says to somebody who has the demo. */
function shown(schema: object, type: string, body: unknown) {
  const recording: RecordedCall = { operationId: 'make', path: {}, body, status: 200, answer: {} };
  const document = withExamples(documentOf(schema, type), [recording]);
  const filled = JSON.parse(withDemoIds(JSON.stringify(document), {}, 'anew')) as typeof document;
  const { content } = filled.paths['/things'].post!.requestBody as { content: Record<string, { example: unknown }> };
  return content[type].example;
}

describe('examples', () => {
  it('have new names where none may stand twice', () => {
    const form = { $ref: '#/components/schemas/CreateThing' };
    const example = { name: 'One', note: 'One' };
    expect(shown(form, 'application/x-www-form-urlencoded', example)).toEqual({ name: 'One anew', note: 'One' });
  });

  it('have them in the operations of a batch, too', () => {
    const operations = [{ operation_type: 'Create', params: { name: 'One', note: 'One' } }];
    expect(shown(batch, 'application/json', operations)).toEqual([
      { operation_type: 'Create', params: { name: 'One anew', note: 'One' } },
    ]);
  });
});
