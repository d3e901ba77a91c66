import fc from 'fast-check';
import { LEAD_FIELD_KEYS } from '../../../src/creatives/lead-forms/lead-form.entity.js';
import { inventedLead } from '../../../src/creatives/leads/invented-lead.js';
import { Draws } from '../../../src/statistics/delivery/draw.js';
import { LeadDraws, MAX_LEADS, MAX_LEADS_OF_FORM } from '../../../src/statistics/delivery/drawn-leads.js';

const START = '2026-11-27T08:00:00.000Z';
const fields = fc
  .uniqueArray(fc.constantFrom(...LEAD_FIELD_KEYS), { minLength: 1 })
  .chain((keys) => fc.tuple(...keys.map((key) => fc.record({ key: fc.constant(key), optional: fc.boolean() }))));

describe('invented leads', () => {
  it('fill in every field that is not optional, and no other field', () => {
    fc.assert(
      fc.property(fields, fc.string(), (form, seed) => {
        const draws = Draws.of(seed);
        const choose = (count: number, word: string) => draws.between(0, count - 1, word);
        const values = inventedLead(form, choose);
        expect(inventedLead(form, choose)).toEqual(values);
        for (const { key, optional } of form) if (!optional) expect(values[key]).toEqual(expect.any(String));
        expect(Object.keys(values).filter((key) => !form.some((field) => field.key === key))).toEqual([]);
      }),
    );
  });

  it('reach nobody: their addresses and numbers are reserved', () => {
    const all = LEAD_FIELD_KEYS.map((key) => ({ key, optional: false }));
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const draws = Draws.of(seed);
        const values = inventedLead(all, (count, word) => draws.between(0, count - 1, word));
        for (const key of ['EMAIL', 'WORK_EMAIL'] as const)
          expect(values[key]).toMatch(/@([a-z-]+\.)?example\.(com|org)$/);
        for (const key of ['PHONE_NUMBER', 'WORK_PHONE_NUMBER'] as const)
          expect(values[key]).toMatch(/^\+1\d{3}55501\d{2}$/);
        expect(values.FULL_NAME).toBe(`${values.FIRST_NAME} ${values.LAST_NAME}`);
        expect(values.DATE_OF_BIRTH).toMatch(/^(19[5-9]\d|200[0-4])-\d{2}-\d{2}$/);
      }),
    );
  });

  it('are a tenth of the clicks, within the bounds of an hour and a form, and the same each time', () => {
    const clicked = fc.array(
      fc.record({
        clicks: fc.nat(100_000),
        forms: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'archived'), { minLength: 1 }),
      }),
      { maxLength: 20 },
    );
    const createdAt = '2026-11-27 08:30:00+00';
    const open = new Map(
      ['a', 'b', 'c'].map((id) => [id, { createdAt, fields: [{ key: 'EMAIL' as const, optional: false }] }]),
    );
    fc.assert(
      fc.property(clicked, (hour) => {
        const draws = new LeadDraws({ start: START });
        for (const [i, { clicks: urlClicks, forms }] of hour.entries()) {
          const thing = {
            id: `p${i}`,
            kind: 'PROMOTED_POST',
            postId: '7',
            isVideo: false,
            leadFormIds: forms,
          } as const;
          const facts = [{ placement: 'ALL_ON_PLATFORM', promotedId: thing.id, postId: '7', urlClicks } as const];
          const flight = { startTime: '2026-11-20T00:00:00Z', endTime: '2026-11-27T08:50:00Z' };
          draws.add({ id: `l${i}`, campaignId: 'c', ...flight }, [thing], facts);
        }
        const leads = draws.of(open, Draws.of('seed', START));
        expect(draws.of(open, Draws.of('seed', START))).toEqual(leads);
        const able = hour.filter(({ forms }) => forms.some((id) => open.has(id)));
        const most = able.reduce((sum, { clicks }) => sum + Math.ceil(clicks / 10), 0);
        expect(leads.length).toBeLessThanOrEqual(Math.min(most, MAX_LEADS));
        for (const id of ['a', 'b', 'c', 'archived']) {
          const ofForm = leads.filter(({ leadFormId }) => leadFormId === id);
          expect(ofForm.length).toBeLessThanOrEqual(open.has(id) ? MAX_LEADS_OF_FORM : 0);
        }
        for (const { submittedAt } of leads) {
          expect(submittedAt >= '2026-11-27T08:30').toBe(true);
          expect(submittedAt < '2026-11-27T09:00').toBe(true);
          // nobody submits a form of an ad whose flight is over
          expect(submittedAt < '2026-11-27T08:50').toBe(true);
        }
      }),
    );
  });
});
