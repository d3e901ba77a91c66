/** Audiences with their people, whom they are shared with, and what else finds people. */
import type { Audience } from './kinds.js';
import type { Plain } from './plain.js';
import { flag, forbidden, invalid, like, number, optional, text, word } from './reading.js';
import type { Planned, Resource } from './world.js';

/** How many people an audience needs before it has a size and can be targeted. */
const MINIMUM = 100;
/** One upload: people are numbers, from the first one on. */
export interface Upload {
  operation_type: 'Update' | 'Delete';
  first: number;
  count: number;
}

/** What an audience has after uploads, once its people are counted. */
export function upload(of: Resource, uploads: readonly Upload[]): Planned {
  const people = new Set(of.fields.people as Set<number>);
  for (const { operation_type, first, count } of uploads)
    for (let person = first; person < first + count; person++)
      if (operation_type === 'Update') people.add(person);
      else people.delete(person);
  // one that can be targeted stays so; that another one is processed is no change of its own
  if (!of.fields.targetable) of.fields = { ...of.fields, reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'] };
  const targetable = people.size >= MINIMUM;
  const [audience_size, reasons_not_targetable] = targetable ? [people.size, []] : [null, ['TOO_SMALL']];
  return { of, fields: { ...of.fields, people, targetable, audience_size, reasons_not_targetable } };
}

export const AUDIENCES: Record<Audience, Plain> = {
  CUSTOM_AUDIENCE: {
    said: { name: text(255), description: optional(text(1_000, ['Buyers', 'Visitors'])) },
    // nobody is in a new one
    added: ({ id }) => ({
      ...{ audience_type: 'CRM', owner_account_id: id, people: new Set(), partner_source: 'OTHER' },
      ...{ audience_size: null, targetable: false, reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'] },
    }),
    check: (read, { name, owner_account_id: owner }, { account }, old) => {
      const home = [account, ...account.partners].find(({ id }) => id === owner)!;
      const others = home.alive('CUSTOM_AUDIENCE').filter((each) => each !== old);
      // the store finds it, which is asked when all else is right
      if (read.problems.length === 0 && others.some(({ fields }) => fields.name === name)) read.blame(invalid('name'));
    },
    locked: (of, { account }) => account.levelOf(of) === 'READ_ONLY' && forbidden('custom_audience_id'),
    kept: ({ fields }, { id }) => fields.owner_account_id !== id,
    shown: (of, account) => ({
      targetable: of.fields.targetable === true && !of.deleted,
      ...{ is_owner: of.fields.owner_account_id === account.id, permission_level: account.levelOf(of) },
    }),
  },
  AUDIENCE_PERMISSION: {
    fixed: { granted_account_id: like(/^[0-9a-z]+$/, ['ACCOUNT'], 'No-Id!') },
    said: { permission_level: word(['READ_ONLY', 'READ_WRITE']) },
    same: (account, { custom_audience_id: audience, granted_account_id: to }) =>
      account
        .alive('AUDIENCE_PERMISSION')
        .find(({ fields }) => fields.custom_audience_id === audience && fields.granted_account_id === to),
    check: (read, { granted_account_id: to }, { account }) => {
      if (to === account.id) read.blame(invalid('granted_account_id'));
      else if (to !== undefined && !account.partners.some(({ id }) => id === to))
        read.blame(['FEATURE_NOT_AVAILABLE', 'granted_account_id']);
    },
  },
  WEB_EVENT_TAG: {
    fits: true,
    said: {
      name: text(255),
      type: word(['PURCHASE', 'SITE_VISIT', 'CUSTOM']),
      click_window: number([1, 7, 14, 30]),
      view_through_window: number([0, 1, 7, 14, 30]),
      // its visitors would become an audience within a minute
      retargeting_enabled: flag([false]),
    },
    added: ({ id }) => ({ website_tag_id: [...id].reverse().join(''), status: 'UNVERIFIED', last_tracked_at: null }),
    check: (read, { click_window: clicks, view_through_window: views }) => {
      if (read.knows('click_window', 'view_through_window') && Number(views) > Number(clicks))
        read.blame(invalid('view_through_window'));
    },
  },
};
