import type { PromotedThing } from '../../campaigns/spending/promoted-things.js';
import type { ServableItem } from '../../campaigns/spending/servable-items.statements.js';
import type { Row } from '../../common/db/query/rows.js';
import type { LeadForm } from '../../creatives/lead-forms/lead-form.entity.js';
import { inventedLead } from '../../creatives/leads/invented-lead.js';
import type { NewLead } from '../../creatives/leads/leads.service.js';
import type { SimulatedFact } from './delivery.model.js';
import { rounded, type Draws } from './draw.js';
import { chosen, clickTimesOf } from './drawn-engagements.js';

/** Submissions of 1,000 clicks on a card that leads to a form. */
const SUBMISSIONS = 100;
/** Leads of an hour of an account, and of one of its forms. */
export const MAX_LEADS = 200;
export const MAX_LEADS_OF_FORM = 20;

/** What a line item delivered in an hour with a card that leads to forms. */
interface Delivered {
  item: Pick<ServableItem, 'id' | 'campaignId' | 'startTime' | 'endTime'>;
  fact: Pick<SimulatedFact, 'placement' | 'promotedId' | 'postId' | 'urlClicks'>;
  formIds: readonly string[];
}

/** Collects the clicks of an hour on cards that lead to lead forms, and draws the people who then submit one. */
export class LeadDraws {
  private readonly delivered: Delivered[] = [];

  constructor(private readonly hour: { start: string }) {}

  add(item: Delivered['item'], things: readonly PromotedThing[], facts: readonly Delivered['fact'][]): void {
    for (const { id, leadFormIds: formIds } of things)
      if (formIds.length > 0)
        for (const fact of facts)
          if (fact.promotedId === id && fact.urlClicks > 0) this.delivered.push({ item, fact, formIds });
  }

  /** The forms to which something that was clicked leads. */
  get formIds(): string[] {
    return [...new Set(this.delivered.flatMap(({ formIds }) => formIds))];
  }

  /** The submissions of the open ones of these forms. The same draws give the same ones. */
  of(open: ReadonlyMap<string, Pick<Row<LeadForm>, 'createdAt' | 'fields'>>, draws: Draws): NewLead[] {
    const submitted = this.delivered.flatMap((each) => {
      const formIds = each.formIds.filter((id) => open.has(id));
      const own = draws.and(each.item.id, each.fact.promotedId, each.fact.placement);
      return formIds.length > 0
        ? { ...each, formIds, count: rounded(each.fact.urlClicks, SUBMISSIONS, 1_000, own) }
        : [];
    });
    const counts = new Map<string, number>();
    return chosen(submitted, ({ count }) => count, MAX_LEADS, draws).flatMap(({ item, fact, formIds }, i) => {
      const own = draws.and(i);
      const formId = formIds[own.between(0, formIds.length - 1, 'form')];
      const form = open.get(formId)!;
      const count = counts.get(formId) ?? 0;
      // nobody submits a form before it exists
      const [first, last] = clickTimesOf(item, this.hour);
      const from = Math.max(first, Date.parse(form.createdAt));
      if (count === MAX_LEADS_OF_FORM || from > last) return [];
      counts.set(formId, count + 1);
      return {
        leadFormId: formId,
        fieldValues: inventedLead(form.fields, (choices, word) => own.between(0, choices - 1, word)),
        submittedAt: new Date(own.between(from, last, 'time')).toISOString(),
        ...{ postId: fact.postId, campaignId: item.campaignId, lineItemId: item.id },
      };
    });
  }
}
