//! Confidence intervals of a correlated series by batch means.
//!
//! A. M. Law, "Simulation Modeling and Analysis", Section 9.5; B. Schmeiser, "Batch size effects in the analysis of
//! simulation output", Operations Research 30 (1982), for the number of batches; A. Tafazzoli, J. R. Wilson, "Skart",
//! IIE Transactions 43 (2011), for the widening; R. Willink, "A confidence interval and test for the mean of an
//! asymmetric distribution", Communications in Statistics 34 (2005), for skewness.

/// Batches from which an interval may stop a run.
pub const MIN_BATCHES: usize = 20;

/// Batches above which neighbours are merged: longer batches correlate less, and more would not narrow the interval.
pub const MAX_BATCHES: usize = 40;

/// The correlation at which the widening ends, at a factor of 6: such batches say little of the mean.
const STRONGEST_CORRELATION: f64 = 0.95;

/// Standard deviations above 0 from which a correlation counts as real: one false alarm in 100.
const SIGNIFICANCE: f64 = 2.326_347_874_040_840_8;

/// Standard deviations above 0 from which a skewness counts as real: one false alarm in 20, which costs some width.
const SKEWNESS_SIGNIFICANCE: f64 = 1.644_853_626_951_472_7;

/// Residuals below this share of the largest total are rounding: a few units in the last place.
const ROUNDING: f64 = 1e-12;

/// A mean with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Mean over all batches; NaN without an observation.
    pub mean: f64,
    /// Half width of the 95 % interval; NaN with fewer than two batches that hold an observation.
    pub half_width: f64,
    /// Half width of the 95 % interval by Student's t alone, whatever the skewness: for shares, whose other end is
    /// near.
    pub symmetric_half_width: f64,
    /// Distance by which the true mean may be below the one found: less than `half_width` where the batches are skewed.
    pub lower_half_width: f64,
    /// Correlation of neighbouring batches, corrected for its bias of -1/B; 0 where it cannot be estimated.
    pub lag1: f64,
    /// Is `lag1` significantly above 0 (one-sided, 1 %)? Then the run is short for what it measures.
    pub correlated: bool,
    /// Batches used.
    pub batches: usize,
}

impl Interval {
    /// Half width as a fraction of the mean; infinite where there is no interval or the mean is 0.
    pub fn relative_half_width(&self) -> f64 {
        if self.half_width.is_finite() && self.mean != 0.0 { self.half_width / self.mean.abs() } else { f64::INFINITY }
    }
}

/// Merges neighbouring batches by adding them until at most `at_most`, 1 or more, are left. The last one takes what
/// does not fill one.
pub fn collapse(values: &[f64], at_most: usize) -> Vec<f64> {
    let together = values.len().div_ceil(at_most);
    if together <= 1 {
        return values.to_vec();
    }
    let (whole, rest) = values.split_at(values.len() / together * together);
    let mut merged: Vec<f64> = whole.chunks_exact(together).map(|batches| batches.iter().sum()).collect();
    if let Some(last) = merged.last_mut() {
        rest.iter().for_each(|value| *last += value);
    }
    merged
}

/// Mean and 95 % confidence interval of a series from its batches.
///
/// The mean is `sum(totals) / sum(sizes)`, so batches may differ in size, and may be empty: a throughput is words over
/// cycles, a mean latency is the sum of latencies over deliveries. Its variance is that of a ratio estimator over the
/// batches that are not empty, with Student's t for their number. More than 40 batches are merged first. Where
/// neighbouring batches still correlate, with `r > 0`, the interval is widened by `sqrt((1 + r) / (1 - r))`, the factor
/// of an autoregressive series. Independent batches pay some 8 % of width for that; batches so short that the plain
/// interval covers the mean in 82 of 100 cases get one that does in 93.
///
/// Few batches far above the others say that more of them may be missing: where the batches are skewed to the right,
/// the half width is that of the upper side of Willink's interval. docs/explanation/statistics.md has what is covered
/// with it, and without.
///
/// `totals` are the sums of the observations of each batch, `sizes` their number (or time), as many; all finite, sizes
/// not negative.
pub fn batch_means(totals: &[f64], sizes: &[f64]) -> Interval {
    let (totals, sizes) = (collapse(totals, MAX_BATCHES), collapse(sizes, MAX_BATCHES));
    let batches = totals.len();
    let nothing = Interval {
        mean: f64::NAN,
        half_width: f64::NAN,
        symmetric_half_width: f64::NAN,
        lower_half_width: f64::NAN,
        lag1: 0.0,
        correlated: false,
        batches,
    };
    let whole: f64 = sizes.iter().sum();
    if whole <= 0.0 {
        return nothing;
    }
    let mean = totals.iter().sum::<f64>() / whole;
    let largest = totals.iter().fold(0.0_f64, |most, total| most.max(total.abs()));
    let residual = |(total, size): (&f64, &f64)| {
        let residual = total - mean * size;
        if residual.abs() <= ROUNDING * largest { 0.0 } else { residual }
    };
    let residuals: Vec<f64> = totals.iter().zip(&sizes).map(residual).collect();
    let filled = sizes.iter().filter(|&&size| size > 0.0).count();
    let square: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let lag1 = if square > 0.0 {
        let products: f64 = residuals.windows(2).map(|pair| pair[1] * pair[0]).sum();
        products / square + 1.0 / batches as f64
    } else {
        0.0
    };
    // The correlation found of n independent batches has a standard deviation of about 1 / sqrt(n).
    let correlated = lag1 * f64::sqrt(filled.max(1) as f64) > SIGNIFICANCE;
    if filled < 2 {
        return Interval { mean, lag1, correlated, ..nothing };
    }
    let r = lag1.clamp(0.0, STRONGEST_CORRELATION);
    let widening = f64::sqrt((1.0 + r) / (1.0 - r));
    let n = filled as f64;
    let standard_error = widening * f64::sqrt(square * n / (n - 1.0)) / whole;
    // One degree of freedom less than batches, and the table begins with one.
    let t = STUDENT_T[filled - 2];
    let skewness = skewness(&residuals, square, n);
    Interval {
        mean,
        half_width: -willink(-t, skewness, n) * standard_error,
        symmetric_half_width: t * standard_error,
        lower_half_width: willink(t, skewness, n) * standard_error,
        lag1,
        correlated,
        batches,
    }
}

/// Skewness of `n` residuals with this sum of squares; 0 unless it is significantly above 0.
fn skewness(residuals: &[f64], square: f64, n: f64) -> f64 {
    let cube: f64 = residuals.iter().map(|residual| residual.powi(3)).sum();
    let skewness = if square > 0.0 { cube / n / (square / n).powf(1.5) } else { 0.0 };
    if skewness > SKEWNESS_SIGNIFICANCE * f64::sqrt(6.0 / n) { skewness } else { 0.0 }
}

/// The number of standard errors by which the mean found of `n` batches of this skewness may lie above the true one, or
/// below it for a negative `t`, by Willink's transformation; `t` without skewness.
fn willink(t: f64, skewness: f64, n: f64) -> f64 {
    if skewness == 0.0 {
        return t;
    }
    let beta = skewness / (6.0 * n.sqrt());
    (f64::cbrt(1.0 + 6.0 * beta * (t - beta)) - 1.0) / (2.0 * beta)
}

/// Is an interval known to `precision`, a relative half width such as 0.01? This is the rule that stops a run.
///
/// Sequential batch means (Law, Section 9.5.3): at least 20 batches, and the half width, widened where batches
/// correlate, at most `precision` of the mean.
pub fn precise_enough(interval: &Interval, precision: f64) -> bool {
    interval.batches >= MIN_BATCHES && interval.relative_half_width() <= precision
}

/// 97.5 % quantiles of Student's t for 1, 2, ... degrees of freedom: the two-sided 95 % of [`MAX_BATCHES`] batches at
/// most.
const STUDENT_T: [f64; MAX_BATCHES - 1] = [
    12.706_204_736_174_694,
    4.302_652_729_749_462,
    3.182_446_305_283_707_8,
    2.776_445_105_197_793_4,
    2.570_581_835_636_314_6,
    2.446_911_851_144_978_6,
    2.364_624_251_592_784,
    2.306_004_135_204_166,
    2.262_157_162_798_205,
    2.228_138_851_986_274,
    2.200_985_160_091_639,
    2.178_812_829_667_228_4,
    2.160_368_656_462_791_3,
    2.144_786_687_917_804,
    2.131_449_545_559_776,
    2.119_905_299_221_254_6,
    2.109_815_577_833_315_6,
    2.100_922_040_241_038_2,
    2.093_024_054_408_308_7,
    2.085_963_447_265_864,
    2.079_613_844_727_679_5,
    2.073_873_067_904_025_4,
    2.068_657_610_419_048_6,
    2.063_898_561_628_024_5,
    2.059_538_552_753_297_2,
    2.055_529_438_642_873_5,
    2.051_830_516_480_284_6,
    2.048_407_141_795_245_4,
    2.045_229_642_132_703,
    2.042_272_456_301_237_8,
    2.039_513_446_396_408,
    2.036_933_343_460_101_6,
    2.034_515_297_449_338_3,
    2.032_244_509_317_718_6,
    2.030_107_928_250_343,
    2.028_094_000_980_450_2,
    2.026_192_463_029_109_3,
    2.024_394_163_911_969_4,
    2.022_690_920_036_761,
];
