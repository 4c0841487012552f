/// \file
/// Every message tag. A sweep's messages carry SCREE_TAG_HALO plus their phase.
#pragma once

enum { SCREE_TAG_ROUTE = 1, SCREE_TAG_ROUND, SCREE_TAG_HALO };
