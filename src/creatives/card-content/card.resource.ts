import { defineResource } from '../../accounts/resources/resource-definition.js';
import { newNumber } from '../../common/entity/ids.js';
import { Card } from '../entities/card.entity.js';
import { snapshotOfCard } from './card.presenter.js';

/** Cards of every kind. Deleting one does not change the posts that show it. */
export const CARDS = defineResource<Card>({
  entity: Card,
  name: 'CARD',
  label: 'Card',
  parameter: 'card_id',
  newId: newNumber,
  snapshot: snapshotOfCard,
});
