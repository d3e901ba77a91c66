import type { Type } from '@nestjs/common';
import { pluralOf } from '../../text/nouns.js';

/** The form of a result: one item, a page, all items, or one item for each operation of a batch. */
export type AnswerKind = 'item' | 'page' | 'list' | 'batch';

const NOUN = Symbol('noun');

interface NounForms {
  singular: string;
  plural: string;
}

/** For a View: what the document calls an item, where the name of the class does not yield it. */
export const Noun = (singular: string, plural = pluralOf(singular)) =>
  Reflect.metadata(NOUN, { singular, plural } satisfies NounForms);

/** `LineItemView` yields `line item`. */
function nounOf(view: Type): NounForms {
  const declared = Reflect.getOwnMetadata(NOUN, view) as NounForms | undefined;
  if (declared) return declared;
  const singular = view.name
    .replace(/View$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return { singular, plural: pluralOf(singular) };
}

/**
 * Describes a successful response in the document: "The line item.", "A page of line items.". Several views, or none,
 * are described as items and values.
 */
export function describeAnswer(views: readonly Type[], kind: AnswerKind, status = 200): string {
  const [view, other] = views;
  const word = other ? 'item' : 'value';
  const { singular, plural } = view && !other ? nounOf(view) : { singular: word, plural: `${word}s` };
  switch (kind) {
    case 'page':
      return status === 201 ? `The new ${plural}.` : `A page of ${plural}.`;
    case 'list':
      return `All ${plural} that match.`;
    case 'batch':
      return `The ${plural}, in the order of the operations.`;
    case 'item':
      return status === 201 ? `The new ${singular}.` : `The ${singular}.`;
  }
}
