import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/operations/docs/operation.js';

interface Tailor {
  tailored(spec: OpenAPIObject, page: { href: string; known: object; sandbox?: boolean }): OpenAPIObject;
}
const { tailored } = (await import(new URL('../../../assets/docs/tailor.js', import.meta.url).pathname)) as Tailor;

const spec = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
const known = { account_id: 'mine', sandbox_account_id: 'sandboxed', funding_instrument_id: 'funds' };
const page = { href: 'http://localhost:3000/docs', known };

const parametersOf = (document: OpenAPIObject, id: string) => {
  const { operation } = operationsOf(document).find((each) => each.operation.operationId === id)!;
  return Object.fromEntries(
    (operation.parameters ?? []).flatMap((each) =>
      'name' in each
        ? [
            [
              each.name,
              { required: each.required, example: each.example as unknown, ...(each.schema as { default?: string }) },
            ],
          ]
        : [],
    ),
  );
};

describe('the document as the page shows it', () => {
  it('fills in what is known, in the environment that is looked at', () => {
    expect(parametersOf(tailored(spec, page), 'createCampaign')).toMatchObject({
      account_id: { default: 'mine', required: true },
      funding_instrument_id: { default: 'funds', required: true },
    });
    expect(parametersOf(tailored(spec, { ...page, sandbox: true }), 'createCampaign')).toMatchObject({
      account_id: { default: 'sandboxed' },
      funding_instrument_id: expect.not.objectContaining({ default: 'funds' }),
    });
    expect(parametersOf(tailored(spec, page), 'addFeatures')).toMatchObject({ account_id: { default: 'sandboxed' } });
    // what an example deletes is there to be deleted
    expect(parametersOf(tailored(spec, page), 'deleteAccount')).toMatchObject({
      account_id: { example: expect.not.stringMatching('sandboxed') },
    });
  });

  it('shows examples to who has the demo before them, each where its ids are known', () => {
    const example = (id: string, name: string, there: object) =>
      parametersOf(tailored(spec, { ...page, ...there }), id)[name].example;
    expect(example('createCampaign', 'name', {})).toBe('Winter menu');
    expect(example('getCampaign', 'campaign_id', {})).toMatch(/^[0-9a-z]{13}$/);
    expect(example('getCampaign', 'campaign_id', { sandbox: true })).toBeUndefined();
    expect(example('addFeatures', 'feature_keys', { sandbox: true })).toEqual(['AGE_TARGETING', 'CITY_TARGETING']);
    expect(example('createCampaign', 'name', { known: {} })).toBeUndefined();
  });

  it('asks for parameters once, and leaves signing to the panel', () => {
    const document = tailored(spec, page);
    for (const { operation } of operationsOf(document)) {
      expect(Object.keys((operation.requestBody as { content?: object } | undefined)?.content ?? {})).not.toContain(
        'application/x-www-form-urlencoded',
      );
      expect(JSON.stringify(operation.security)).not.toMatch(/oauth1|application/);
    }
    expect(Object.keys(document.components?.securitySchemes ?? {})).toEqual(['basic']);
  });

  it('offers the servers that the page can reach', () => {
    const { servers } = tailored(spec, { ...page, href: 'http://127.0.0.1:8080/docs' });
    expect(servers?.map(({ url }) => url)).toEqual(['/', '/sandbox']);
    const apart = { ...spec, servers: [{ url: 'https://ads.example.com' }, { url: 'https://sandbox.example.com/a' }] };
    const shown = (href: string) => tailored(apart, { ...page, href }).servers?.map(({ url }) => url);
    expect(shown('https://sandbox.example.com/a/docs')).toEqual(['https://sandbox.example.com/a']);
    expect(shown('https://elsewhere.example.com/docs')).toHaveLength(2);
  });

  it('leaves the document itself as it is', () => {
    const before = JSON.stringify(spec);
    tailored(spec, page);
    expect(JSON.stringify(spec)).toBe(before);
  });
});
