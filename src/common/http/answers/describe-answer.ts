import type { Type } from '@nestjs/common';
import { pluralOf } from '../../text/nouns.js';

/** What an endpoint returns: one item, a page, all items, or one item for each operation of a batch. */
export type AnswerKind = 'item' | 'page' | 'list' | 'batch';

const ABBREVIATIONS: Record<string, string> = { iab: 'IAB', tv: 'TV' };

/** Singular and plural of views that their names do not yield. */
const NOUNS: Record<string, readonly [string, string]> = {
  AccountHistoryView: ['change', 'changes'],
  AuthenticatedUserAccessView: ['access of the authenticated user', ''],
  CreatedPostView: ['post', 'posts'],
  DeletedView: ['confirmation', ''],
  DoNotReachListView: ['do-not-reach list', 'do-not-reach lists'],
  PrerollCallToActionView: ['preroll call to action', 'preroll calls to action'],
  StatisticsView: ['statistics', 'statistics of entities'],
  TargetedByView: ['campaign', 'campaigns that target the audience'],
  TargetingCriterionView: ['targeting criterion', 'targeting criteria'],
};

/**
 * Describes a successful response in the document: "The line item.", "A page of line items.". Several views, or none,
 * are described as items and values.
 */
export function describeAnswer(views: readonly Type[], kind: AnswerKind, status = 200): string {
  const noun = views.length === 1 ? nounOf(views[0]) : views.length > 1 ? 'item' : 'value';
  const plural = views.length === 1 ? (NOUNS[views[0].name]?.[1] ?? pluralOf(noun)) : `${noun}s`;
  switch (kind) {
    case 'page':
      return status === 201 ? `The new ${plural}.` : `A page of ${plural}.`;
    case 'list':
      return `All ${plural} that match.`;
    case 'batch':
      return `The ${plural}, in the order of the operations.`;
    case 'item':
      return status === 201 ? `The new ${noun}.` : `The ${noun}.`;
  }
}

/** `LineItemView` becomes `line item`. */
const nounOf = ({ name }: Type): string =>
  NOUNS[name]?.[0] ??
  name
    .replace(/View$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(' ')
    .map((word) => ABBREVIATIONS[word] ?? word)
    .join(' ');
