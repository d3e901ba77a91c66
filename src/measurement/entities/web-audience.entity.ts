import { Entity } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { InSnapshots, RefersTo } from '../../common/entity/snapshots.js';

/** The audience of a web event tag with `retargeting_enabled`. */
@Entity('web_audiences')
@InSnapshots()
export class WebAudience {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) @RefersTo('web_event_tags') tagId: string;
  @IdColumn() @RefersTo('custom_audiences') audienceId: string;
  /** The visitors of conversions that arrived before this time are in the audience. */
  @TimestampColumn() fedUntil: Date;
}
