import { Entity, Index } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { insertOrUpdate, type Write } from '../../common/db/query/write.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { InSnapshots, RefersTo } from '../../common/entity/snapshots.js';
import type { WebEventTag } from './web-event-tag.entity.js';

/** The audience of a web event tag with `retargeting_enabled`. */
@Entity('web_audiences')
@InSnapshots()
@Index('web_audiences_due', ['visitAt'])
export class WebAudience {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) @RefersTo('web_event_tags') tagId: string;
  /** Null until the job creates it. */
  @IdColumn({ nullable: true }) @RefersTo('custom_audiences') audienceId: string | null;
  /** The visitors of conversions that arrived before this time are in the audience. */
  @TimestampColumn() fedUntil: Date;
  /** When the job looks at it next, by the clock of the service. */
  @TimestampColumn({ default: '1970-01-01 00:00:00+00' }) visitAt: Date;
}

const AT_ONCE = new Date(0).toISOString();

/** Makes the job look at the audience of a tag that was created, changed or deleted, if it has one or should have one. */
export function visitAudience(...states: Row<WebEventTag>[]): Write {
  const [{ accountId, id: tagId }] = states;
  const row = { accountId, tagId, audienceId: null, fedUntil: AT_ONCE, visitAt: AT_ONCE };
  const due = states.some(({ retargetingEnabled }) => retargetingEnabled) ? [row] : [];
  return insertOrUpdate(WebAudience, due, ['visitAt']);
}
