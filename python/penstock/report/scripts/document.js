// A page of text with finished figures: of tune, evaluate and reproduce.

import { claimFilters } from "./claims.js";
import { copyButtons } from "./copy.js";
import { finishedFigures } from "./finished_figure.js";
import { tableFiles } from "./table_files.js";
import { lightPaper, themeButton } from "./theme.js";

themeButton();
lightPaper();
copyButtons();
finishedFigures();
tableFiles();
claimFilters();
