import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { REASONS_NOT_TARGETABLE, type ReasonNotTargetable } from '../entities/custom-audience.entity.js';
import { DO_NOT_REACH_LISTS, DoNotReachList } from '../entities/do-not-reach-list.entity.js';

/** The name of every list. */
const NAME = 'Do Not Reach List';

/** A do-not-reach list. The JSON keeps the order of these fields. */
@Noun('do-not-reach list')
export class DoNotReachListView {
  /** Whether the list affects campaigns. */
  @ApiProperty() targetable: boolean;
  /** The list's name; always the same. */
  @ApiProperty({ example: NAME }) name: string;
  /** The list's description. */
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  /** The id of the list. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** Why the list does not affect campaigns yet; empty if it does. */
  @ApiProperty({ ...enumSchema(REASONS_NOT_TARGETABLE), isArray: true }) reasons_not_targetable: ReasonNotTargetable[];
  /** When the list was created. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /**
   * Approximate number of people, with two significant digits if sizes are protected. Null while it is unknown or too
   * small to report.
   */
  @ApiProperty({ type: 'integer', nullable: true }) list_size: number | null;
  /** When the list was last updated. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Whether the list is deleted. */
  @ApiProperty() deleted: boolean;
}

export const presentDoNotReachList = (list: Row<DoNotReachList>): DoNotReachListView => ({
  targetable: list.deletedAt === null && list.reasonsNotTargetable.length === 0,
  name: NAME,
  description: list.description,
  id: list.id,
  reasons_not_targetable: list.reasonsNotTargetable,
  created_at: wireTime(list.createdAt),
  list_size: list.listSize,
  updated_at: wireTime(list.updatedAt),
  deleted: list.deletedAt !== null,
});

recordAs(DO_NOT_REACH_LISTS, DoNotReachListView, presentDoNotReachList);
