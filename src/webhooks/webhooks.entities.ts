import type { Type } from '@nestjs/common';
import { OutgoingEvent } from './outbox/outgoing-event.entity.js';

/** The tables of what is to be told to others. */
export const WEBHOOKS_ENTITIES: Type[] = [OutgoingEvent];
