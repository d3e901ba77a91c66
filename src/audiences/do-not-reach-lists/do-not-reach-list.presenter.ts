import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { REASONS_NOT_TARGETABLE, type ReasonNotTargetable } from '../entities/custom-audience.entity.js';
import type { DoNotReachList } from '../entities/do-not-reach-list.entity.js';

/** What every list is called. */
const NAME = 'Do Not Reach List';

/** Written in the order of these fields. */
export class DoNotReachListView {
  /** Whether it has an effect on campaigns. */
  @ApiProperty() targetable: boolean;
  /** What it is called; always the same. */
  @ApiProperty({ example: NAME }) name: string;
  /** A note on whom it holds. */
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  /** Its id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** Why it has no effect yet; empty where it has. */
  @ApiProperty({ ...enumSchema(REASONS_NOT_TARGETABLE), isArray: true }) reasons_not_targetable: ReasonNotTargetable[];
  /** When it was made. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** About how many people it holds, with two significant digits where sizes are protected; null while that is not known, and where it is too small to be told. */
  @ApiProperty({ type: 'integer', nullable: true }) list_size: number | null;
  /** When it was changed last. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Whether it is deleted. */
  @ApiProperty() deleted: boolean;
}

export const presentDoNotReachList = (list: Row<DoNotReachList>): DoNotReachListView => ({
  targetable: list.reasonsNotTargetable.length === 0,
  name: NAME,
  description: list.description,
  id: list.id,
  reasons_not_targetable: list.reasonsNotTargetable,
  created_at: wireTime(list.createdAt),
  list_size: list.listSize,
  updated_at: wireTime(list.updatedAt),
  deleted: list.deletedAt !== null,
});
