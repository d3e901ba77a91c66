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

const FORM = 'application/x-www-form-urlencoded';
interface Media {
  schema: { properties: Record<string, { default?: unknown; type?: string; enum?: string[] }>; required?: string[] };
  example?: unknown;
  'x-names'?: string[];
}
const mediaOf = (document: OpenAPIObject, id: string, type = FORM) => {
  const { operation } = operationsOf(document).find((each) => each.operation.operationId === id)!;
  return (operation.requestBody as { content: Record<string, Media> }).content[type];
};
const formOf = (document: OpenAPIObject, id: string) => mediaOf(document, id).schema.properties;

describe('the document as the page shows it', () => {
  it('fills in what is known, in the environment that is looked at', () => {
    const here = tailored(spec, page);
    expect(parametersOf(here, 'createCampaign')).toMatchObject({ account_id: { default: 'mine', required: true } });
    expect(formOf(here, 'createCampaign').funding_instrument_id.default).toMatch(/^[0-9a-z]{13}$/);
    const inSandbox = tailored(spec, { ...page, sandbox: true });
    expect(parametersOf(inSandbox, 'createCampaign')).toMatchObject({ account_id: { default: 'sandboxed' } });
    expect(formOf(inSandbox, 'createCampaign')).toMatchObject({
      funding_instrument_id: { default: '' },
      name: { default: 'Winter menu' },
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
    const filled = (id: string, name: string, there: object) =>
      formOf(tailored(spec, { ...page, ...there }), id)[name].default;
    expect(filled('createCampaign', 'name', {})).toBe('Winter menu');
    expect(example('getCampaign', 'campaign_id', {})).toMatch(/^[0-9a-z]{13}$/);
    expect(example('getCampaign', 'campaign_id', { sandbox: true })).toBeUndefined();
    expect(filled('addFeatures', 'feature_keys', { sandbox: true })).toEqual(['AGE_TARGETING', 'CITY_TARGETING']);
    expect(filled('createCampaign', 'name', { known: {} })).toBe('');
  });

  it('leaves fields of a form empty that the example does not name, and shows their words', () => {
    const form = formOf(tailored(spec, page), 'updateCampaign');
    expect(form.total_budget_amount_local_micro).toMatchObject({ type: 'integer', default: '' });
    expect(form.budget_optimization).toMatchObject({ enum: expect.arrayContaining(['CAMPAIGN']), default: '' });
    expect(mediaOf(tailored(spec, page), 'createCampaign').schema.required).toContain('funding_instrument_id');
  });

  it('knows the names that may stand only once, in a batch too', () => {
    expect(mediaOf(tailored(spec, page), 'createCustomAudience')['x-names']).toHaveLength(1);
    const document = structuredClone(spec);
    const batch = { ...mediaOf(document, 'batchCampaigns', 'application/json'), 'x-unique': ['name'] };
    Object.assign(mediaOf(document, 'batchCampaigns', 'application/json'), batch);
    const shown = mediaOf(tailored(document, page), 'batchCampaigns', 'application/json');
    expect(shown['x-names']).toEqual(['Winter menu']);
    expect(shown.example).toEqual(batch.example);
  });

  it('leaves signing to the panel', () => {
    const document = tailored(spec, page);
    for (const { operation } of operationsOf(document)) {
      expect(JSON.stringify(operation.security)).not.toMatch(/oauth1|application|basic/);
    }
    // its keys are not enough for this one, unless they are the demo's
    expect(Object.keys(document.components?.securitySchemes ?? {})).toEqual(['bearer', 'oauth2', 'pixelToken']);
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
