import { Get } from '@nestjs/common';
import { CallerController } from '../../../auth/guards/ads-controller.js';
import { Params } from '../../../common/http/params/params.js';
import { ReturnsList } from '../../../common/http/answers/returns.js';
import { ListPlacements } from './placements.dto.js';
import { PlacementsView, presentPlacements } from './placements.presenter.js';
import { PlacementsService } from './placements.service.js';

@CallerController('line_items/placements', { tag: 'Reference data' })
export class PlacementsController {
  constructor(private readonly placements: PlacementsService) {}

  /**
   * Lists the combinations of placements that line items can have, by product type. For MEDIA, `ALL_ON_PLATFORM` is for
   * the objective PREROLL_VIEWS and `TAP_*` for the other objectives.
   */
  @Get()
  @ReturnsList(PlacementsView)
  list(@Params() query: ListPlacements) {
    return this.placements.list(query).map(presentPlacements);
  }
}
